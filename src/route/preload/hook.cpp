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
block_shape shape_of_live(const void* block, const char* otherwise) noexcept {
  const block_shape shape = process.range.get(block);
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

void* allocate(routing_thread& thread, int route, function through, std::size_t bytes,
               std::size_t alignment, void* echo = nullptr) noexcept {
  if (route < 0) return nullptr;
  void* const block = thread.allocate(static_cast<std::uint32_t>(route), bytes, alignment, echo);
  if (echo == nullptr && block != nullptr &&
      (through == function::calloc || through == function::libc_calloc)) {
    std::memset(block, 0, bytes);
  }
  return block;
}

// All that finds a block's resource, and what is remembered of it.
[[gnu::noinline]] void* way_here(function through, std::size_t bytes, std::size_t alignment,
                                 const frame_state& caller, void* echo) noexcept {
  routing_thread& thread = *this_thread.state;
  return allocate(thread, thread.route_here(bytes, caller), through, bytes, alignment, echo);
}

// And all that finds it again.
[[gnu::noinline]] void way_back(void* block, bool echoes) noexcept {
  const busy_while working;
  const block_shape shape = echoes
                                ? process.range.get_again(block)
                                : shape_of_live(block, "mallard: free of a block that is none\n");
  const int before = errno;
  process.arena_at(process.range.owner_of(block))
      .deallocate(block, shape, this_thread.state, echoes);
  errno = before;
}

}  // namespace

void* routed_here(function through, std::size_t bytes, std::size_t alignment, std::uint64_t ip,
                  std::uint64_t sp, std::uint64_t bp) noexcept {
  const frame_state caller{ip, sp, bp};
  void* const block = way_here(through, bytes, alignment, caller, nullptr);
  if (process.all->goes_twice && block != nullptr) [[unlikely]] {
    way_here(through, bytes, alignment, caller, block);
  }
  return block;
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

void free_routed(void* block) noexcept {
  if (process.all->goes_twice) [[unlikely]]
    way_back(block, true);
  way_back(block, false);
}

void* reallocate_routed(void* block, std::size_t bytes) noexcept {
  const block_shape shape = shape_of_live(block, "mallard: realloc of a block that is none\n");
  if (bytes == 0) {
    free_routed(block);
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
  free_routed(block);
  return moved;
}

std::size_t routed_bytes(const void* block) noexcept {
  return shape_of_live(block, "mallard: malloc_usable_size of a block that is none\n").bytes;
}

}  // namespace mallard::route
