#include "density/preload/ideal_malloc.hpp"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>

#include "density/session.hpp"

namespace mallard::density {
namespace {

constexpr std::size_t granule = std::size_t{1} << 16;
constexpr std::size_t most_bytes = std::size_t{1} << 38;
constexpr std::size_t most_granules = most_bytes / granule;
constexpr std::uint8_t bumped = 255;  // the class of a chunk whose blocks store their own sizes

// Steps of 16 bytes up to 128, then four to a doubling.
constexpr unsigned class_of(std::size_t bytes) noexcept {
  if (bytes <= 128) return bytes == 0 ? 0 : static_cast<unsigned>((bytes - 1) / 16);
  const auto exponent = static_cast<unsigned>(std::bit_width(bytes - 1)) - 1;
  return 8 + (exponent - 7) * 4 + static_cast<unsigned>((bytes - 1) >> (exponent - 2) & 3);
}
constexpr std::size_t bytes_of(unsigned size_class) noexcept {
  if (size_class < 8) return (size_class + 1) * 16;
  const unsigned exponent = (size_class - 8) / 4 + 7;
  return (std::size_t{4} + (size_class - 8) % 4 + 1) << (exponent - 2);
}
constexpr unsigned class_count = class_of(most_bytes / 2) + 1;
static_assert(class_count < bumped && bytes_of(class_of(1000)) >= 1000);

struct free_block {
  free_block* next;
};

struct thread_class {
  free_block* first;
  std::byte* fresh;  // in its chunk
  std::byte* end;
  std::size_t count;  // freed blocks
};

// A granule of bumped blocks, used anew when none of them lives. Blocks that other threads free
// live for ever.
struct bump_chunk {
  struct thread_memory* owner;
  bump_chunk* next;  // free
  std::uint32_t live;
};
constexpr std::size_t most_bumped = granule / 4;

struct thread_memory {
  bump_chunk* chunk;
  std::byte* fresh;  // in it
  bool is_zero;      // it was never used
  bump_chunk* free_chunks;
  thread_class classes[class_count];
};
thread_local constinit thread_memory mine __attribute__((tls_model("initial-exec"))) = {};

// Surplus blocks of threads. A thread that finds it locked does without.
struct shared_class {
  std::atomic_flag lock{};
  free_block* first = nullptr;
};
shared_class shared[class_count];

std::byte* range = nullptr;
std::size_t range_bytes = 0;
std::atomic<std::size_t> used{0};
std::size_t bump_until = 0;                 // bump until `used` reaches this
std::uint8_t class_at[most_granules] = {};  // by granule
std::atomic<std::uint32_t> opened{0};

void open_range() noexcept {
  for (std::size_t bytes = most_bytes; bytes >= std::size_t{1} << 30 && range == nullptr;
       bytes /= 2) {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) continue;
    constexpr std::uintptr_t huge = std::uintptr_t{1} << 21;
    const auto at = reinterpret_cast<std::uintptr_t>(memory);
    range = reinterpret_cast<std::byte*>((at + huge - 1) & ~(huge - 1));
    range_bytes = bytes - huge;
    madvise(range, range_bytes, MADV_HUGEPAGE);
  }
  const char* const how = getenv(ideal_variable);
  struct sysinfo machine{};
  if (how != nullptr && std::strcmp(how, "bump") == 0 && sysinfo(&machine) == 0) {
    bump_until = machine.freeram / 4 * machine.mem_unit;
  }
}

void ensure_open() noexcept {
  std::uint32_t seen = opened.load(std::memory_order_acquire);
  if (seen == 2) return;
  if (seen == 0 && opened.compare_exchange_strong(seen, 1)) {
    open_range();
    opened.store(2, std::memory_order_release);
  }
  while (opened.load(std::memory_order_acquire) != 2) {
  }
}

// Returns: zeroed granules for `bytes` of a class; null if none are left.
std::byte* take_granules(std::size_t bytes, std::uint8_t of) noexcept {
  ensure_open();
  const std::size_t rounded = (bytes + granule - 1) & ~(granule - 1);
  const std::size_t at = used.fetch_add(rounded, std::memory_order_relaxed);
  if (rounded > range_bytes || at > range_bytes - rounded) {
    used.fetch_sub(rounded, std::memory_order_relaxed);
    return nullptr;
  }
  std::memset(class_at + at / granule, of, rounded / granule);
  return range + at;
}

std::uint8_t class_of_block(const void* block) noexcept {
  return class_at[static_cast<std::size_t>(static_cast<const std::byte*>(block) - range) / granule];
}

std::size_t& size_before(void* block) noexcept {
  return static_cast<std::size_t*>(block)[-1];
}

bool may_bump() noexcept {
  return used.load(std::memory_order_relaxed) < bump_until;
}

bump_chunk* chunk_of(const void* block) noexcept {
  return reinterpret_cast<bump_chunk*>(reinterpret_cast<std::uintptr_t>(block) & ~(granule - 1));
}

void start_chunk(bump_chunk* chunk, bool is_zero) noexcept {
  chunk->owner = &mine;
  chunk->live = 0;
  mine.chunk = chunk;
  mine.is_zero = is_zero;
  mine.fresh = reinterpret_cast<std::byte*>(chunk + 1);
}

[[gnu::noinline]] bool take_chunk() noexcept {
  bump_chunk* chunk = mine.free_chunks;
  const bool is_zero = chunk == nullptr;
  if (is_zero) {
    chunk = reinterpret_cast<bump_chunk*>(take_granules(granule, bumped));
  } else {
    mine.free_chunks = chunk->next;
  }
  if (chunk != nullptr) start_chunk(chunk, is_zero);
  return chunk != nullptr;
}

// Where the chunk has room for the block, else null.
std::byte* place_in_chunk(std::size_t bytes, std::size_t alignment) noexcept {
  if (mine.chunk == nullptr) return nullptr;
  const std::uintptr_t at =
      (reinterpret_cast<std::uintptr_t>(mine.fresh) + sizeof(std::size_t) + alignment - 1) &
      ~(alignment - 1);
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(mine.chunk) + granule;
  return at > end || bytes > end - at ? nullptr : reinterpret_cast<std::byte*>(at);
}

// Requires that an empty chunk has room.
void* bump(std::size_t bytes, std::size_t alignment, bool& is_zero) noexcept {
  std::byte* block = place_in_chunk(bytes, alignment);
  if (block == nullptr) {
    if (!take_chunk()) return nullptr;
    block = place_in_chunk(bytes, alignment);
  }
  size_before(block) = bytes;
  mine.fresh = block + bytes;
  ++mine.chunk->live;
  is_zero = mine.is_zero;
  return block;
}

void free_bumped(void* block) noexcept {
  bump_chunk* const chunk = chunk_of(block);
  if (chunk->owner != &mine || --chunk->live != 0) return;
  if (chunk == mine.chunk) return start_chunk(chunk, false);
  chunk->next = mine.free_chunks;
  mine.free_chunks = chunk;
}

// Returns: an unused block from a new chunk, whose rest becomes the thread's.
[[gnu::noinline]] void* take_fresh(thread_class& of, unsigned size_class) noexcept {
  const std::size_t bytes = bytes_of(size_class);
  const std::size_t chunk = bytes > granule / 8 ? bytes : granule;
  std::byte* const memory = take_granules(chunk, static_cast<std::uint8_t>(size_class));
  if (memory == nullptr) return nullptr;
  of.fresh = memory + bytes;
  of.end = memory + chunk;
  return memory;
}

constexpr std::size_t batch_of(unsigned size_class) noexcept {
  const std::size_t blocks = granule / bytes_of(size_class);
  return blocks < 8 ? 8 : blocks;
}

bool take_shared(thread_class& of, unsigned size_class) noexcept {
  shared_class& from = shared[size_class];
  if (__atomic_load_n(&from.first, __ATOMIC_RELAXED) == nullptr) return false;
  if (from.lock.test_and_set(std::memory_order_acquire)) return false;
  free_block* at = from.first;
  of.first = at;
  for (std::size_t most = batch_of(size_class); at != nullptr; at = at->next) {
    if (++of.count == most || at->next == nullptr) break;
  }
  if (at != nullptr) {
    from.first = at->next;
    at->next = nullptr;
  }
  from.lock.clear(std::memory_order_release);
  return of.first != nullptr;
}

void share_half(thread_class& of, unsigned size_class) noexcept {
  shared_class& to = shared[size_class];
  if (to.lock.test_and_set(std::memory_order_acquire)) return;
  free_block* last = of.first;
  const std::size_t half = of.count / 2;
  for (std::size_t i = 1; i < half; ++i) last = last->next;
  free_block* const rest = last->next;
  last->next = to.first;
  to.first = of.first;
  of.first = rest;
  of.count -= half;
  to.lock.clear(std::memory_order_release);
}

// `is_zero`: the block was never used.
void* reuse(std::size_t bytes, bool& is_zero) noexcept {
  const unsigned size_class = class_of(bytes);
  if (size_class >= class_count) return nullptr;
  thread_class& of = mine.classes[size_class];
  if (of.first == nullptr) {
    const std::size_t size = bytes_of(size_class);
    if (static_cast<std::size_t>(of.end - of.fresh) >= size) {
      is_zero = true;
      std::byte* const block = of.fresh;
      of.fresh += size;
      return block;
    }
    if (!take_shared(of, size_class)) {
      is_zero = true;
      return take_fresh(of, size_class);
    }
  }
  free_block* const block = of.first;
  of.first = block->next;
  --of.count;
  return block;
}

// Returns: the size at which a block of the class is aligned as requested. Blocks lie at multiples
// of their size in a granule.
std::size_t enough_for(std::size_t bytes, std::size_t alignment) noexcept {
  if (alignment <= 16) return bytes;
  return std::bit_ceil(bytes < alignment ? alignment : bytes);
}

void* allocate(std::size_t bytes, std::size_t alignment, bool& is_zero) noexcept {
  if (bytes > most_bytes / 4 || alignment > granule) return nullptr;
  if (bytes + alignment <= most_bumped && may_bump()) return bump(bytes, alignment, is_zero);
  return reuse(enough_for(bytes, alignment), is_zero);
}

}  // namespace

void* ideal_allocate(std::size_t bytes, std::size_t alignment) noexcept {
  bool is_zero = false;
  return allocate(bytes, alignment < 16 ? 16 : alignment, is_zero);
}

void* ideal_allocate_zeroed(std::size_t count, std::size_t bytes) noexcept {
  std::size_t all = 0;
  bool is_zero = false;
  if (__builtin_mul_overflow(count, bytes, &all)) return nullptr;
  void* const block = allocate(all, 16, is_zero);
  if (block != nullptr && !is_zero) std::memset(block, 0, all);
  return block;
}

void ideal_free(void* block) noexcept {
  if (block == nullptr) return;
  const std::uint8_t size_class = class_of_block(block);
  if (size_class == bumped) return free_bumped(block);
  thread_class& of = mine.classes[size_class];
  auto* const freed = static_cast<free_block*>(block);
  freed->next = of.first;
  of.first = freed;
  if (++of.count > 4 * batch_of(size_class)) share_half(of, size_class);
}

std::size_t ideal_usable(const void* block) noexcept {
  if (block == nullptr) return 0;
  const std::uint8_t size_class = class_of_block(block);
  if (size_class == bumped) return static_cast<const std::size_t*>(block)[-1];
  return bytes_of(size_class);
}

void* ideal_reallocate(void* block, std::size_t bytes) noexcept {
  if (block == nullptr) return ideal_allocate(bytes);
  const std::size_t before = ideal_usable(block);
  if (class_of_block(block) != bumped) {
    if (bytes != 0 && class_of(bytes) == class_of(before)) return block;
  } else {
    auto* const at = static_cast<std::byte*>(block);
    const bool is_last = at + before == mine.fresh;
    const std::byte* const end = reinterpret_cast<std::byte*>(chunk_of(block)) + granule;
    if (bytes <= before || (is_last && bytes <= static_cast<std::size_t>(end - at))) {
      // The part cut off is not reused: it is not zero, as fresh memory must be.
      if (bytes > before) mine.fresh = at + bytes;
      size_before(block) = bytes;
      return block;
    }
  }
  void* const moved = ideal_allocate(bytes);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, block, before < bytes ? before : bytes);
  ideal_free(block);
  return moved;
}

}  // namespace mallard::density
