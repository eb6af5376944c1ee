#include "route/preload/hook.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <cstring>

namespace mallard::route {
namespace {

[[noreturn, gnu::cold]] void fail(const char* what) noexcept {
  (void)!write(STDERR_FILENO, what, std::strlen(what));
  abort();
}

// The shape of what is no block any more, or never was one.
[[gnu::always_inline]] inline block_shape shape_of_live(const void* block,
                                                        const char* otherwise) noexcept {
  const block_shape shape = process.codes.get(block);
  if (shape.bytes == 0) [[unlikely]]
    fail(otherwise);
  return shape;
}

// The library's own calls are not routed.
class busy_while {
 public:
  busy_while() noexcept : before_(this_thread.busy) { this_thread.busy = true; }
  ~busy_while() { this_thread.busy = before_; }
  busy_while(const busy_while&) = delete;
  busy_while& operator=(const busy_while&) = delete;

 private:
  bool before_;
};

void* plain_malloc(std::size_t bytes) noexcept {
  return preload::next<void*(std::size_t)>(function::malloc)(bytes);
}

[[gnu::always_inline]] inline void* allocate(routing_thread& thread, int route, function through,
                                             std::size_t bytes, std::size_t alignment) noexcept {
  if (route < 0) return nullptr;
  // That of posix_memalign, which refuses what is no alignment for it.
  const bool is_posix =
      through == function::posix_memalign || through == function::libc_posix_memalign;
  if (is_posix && alignment < sizeof(void*)) return nullptr;
  const bool zeroed = through == function::calloc || through == function::libc_calloc;
  return thread.allocate(static_cast<std::uint32_t>(route),
                         {bytes, alignment, zeroed, preload::is_new(through)});
}

// For a block that the malloc behind the hook has served in a resource's stead.
void* reallocate_by_malloc(void* block, std::size_t bytes) noexcept {
  const std::uint8_t owner = process.codes.take_byte(block);
  void* const moved = preload::next<void*(void*, std::size_t)>(function::realloc)(
      block, bytes == 0 ? 0 : block_codes::unshared(bytes));
  void* const left = moved == nullptr && bytes != 0 ? block : moved;
  if (left == nullptr || !process.codes.set_byte(left, owner)) {
    process.arena_at(owner).count_out(this_thread.state);
  }
  return moved;
}

}  // namespace

void* routed_here(function through, std::size_t bytes, std::size_t alignment, std::uint64_t ip,
                  std::uint64_t sp, std::uint64_t bp) noexcept {
  routing_thread& thread = *this_thread.state;
  return allocate(thread, thread.route_here(bytes, {ip, sp, bp}), through, bytes, alignment);
}

void* routed_after_walk(function through, std::size_t bytes, std::size_t alignment,
                        std::uint64_t ip, std::uint64_t sp, std::uint64_t bp) noexcept {
  routing_thread* thread = this_thread.state;
  if (thread == nullptr) {
    thread = make_ready();
    this_thread.busy = true;
    if (thread == nullptr) return nullptr;
  }
  return allocate(*thread, thread->route_of(bytes, {ip, sp, bp}), through, bytes, alignment);
}

void free_routed(function through, void* block) noexcept {
  const busy_while working;
  const block_shape shape = shape_of_live(block, "mallard: free of a block that is none\n");
  const int before = errno;
  process.owner_of(block).deallocate(block, shape, preload::is_delete(through), this_thread.state);
  errno = before;
}

void* reallocate_routed(void* block, std::size_t bytes) noexcept {
  if (!process.range.has(block)) {
    const busy_while working;
    return reallocate_by_malloc(block, bytes);
  }
  const block_shape shape = shape_of_live(block, "mallard: realloc of a block that is none\n");
  if (bytes == 0) {
    free_routed(function::free, block);
    return nullptr;
  }
  if (bytes <= shape.bytes && bytes >= shape.bytes / 2) return block;
  void* moved = nullptr;
  {
    const busy_while working;
    arena& from = process.arena_at(process.range.owner_of(block));
    if (routing_thread* const thread = this_thread.state) {
      const block_shape larger{(bytes + granule - 1) & ~(granule - 1), shape.alignment};
      if (bytes > shape.bytes && bytes < PTRDIFF_MAX &&
          from.try_expand(block, shape, larger, thread)) {
        return block;
      }
      moved = thread->allocate_again(from, bytes);
    }
    if (moved == nullptr) moved = plain_malloc(bytes);
  }
  if (moved == nullptr) {
    errno = ENOMEM;
    return nullptr;
  }
  std::memcpy(moved, block, bytes < shape.bytes ? bytes : shape.bytes);
  free_routed(function::free, block);
  return moved;
}

std::size_t routed_bytes(const void* block) noexcept {
  return shape_of_live(block, "mallard: malloc_usable_size of a block that is none\n").bytes;
}

}  // namespace mallard::route
