// The memory of resources that may be used, as AddressSanitizer, MemorySanitizer or Valgrind sees
// it. Without GoogleTest: with MemorySanitizer all that runs has to be instrumented.
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory_resource>

#include "mallard/adaptive_pool.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/heap.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"

#ifndef MALLARD_MARKS_MEMORY
#error "nothing looks at memory in this build"
#endif

namespace {

int failures = 0;

void expect(bool condition, const char* resource, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "%s: %s\n", resource, what);
  ++failures;
}

bool may_be_used([[maybe_unused]] const void* p) {
#if defined(MALLARD_ASAN)
  return __asan_address_is_poisoned(p) == 0;
#elif defined(MALLARD_VALGRIND)
  unsigned char bits = 0;
  return VALGRIND_GET_VBITS(p, &bits, 1) != 3;
#else
  return true;  // MemorySanitizer does not know
#endif
}

bool has_been_written([[maybe_unused]] const void* p) {
#if defined(MALLARD_MSAN)
  return __msan_test_shadow(p, 1) == -1;
#elif defined(MALLARD_VALGRIND)
  unsigned char bits = 0;
  return VALGRIND_GET_VBITS(p, &bits, 1) == 1 && bits == 0;
#else
  return true;
#endif
}

#ifdef MALLARD_ASAN
constexpr bool knows_writes = false;
#else
constexpr bool knows_writes = true;
#endif
#ifdef MALLARD_MSAN
constexpr bool knows_ends = false;
#else
constexpr bool knows_ends = true;
#endif

template <class R>
void check(R& r, const char* name, std::size_t bytes) {
  auto* p = static_cast<char*>(r.allocate(bytes, 8));
  for (int round = 0; round < 2; ++round) {  // fresh, then used before
    expect(may_be_used(p) && may_be_used(p + bytes - 1), name, "a block may not be used");
    if (knows_ends) expect(!may_be_used(p + bytes), name, "what is behind a block may be used");
    if (knows_writes) expect(!has_been_written(p), name, "a new block counts as written");
    std::memset(p, 1, bytes);
    expect(has_been_written(p) && has_been_written(p + bytes - 1), name, "a write does not count");
    r.deallocate(p, bytes, 8);
    if (knows_ends) expect(!may_be_used(p), name, "a block given back may be used");
    if (knows_writes) expect(!has_been_written(p), name, "a block given back counts as written");
    p = static_cast<char*>(r.allocate(bytes, 8));
  }
  r.deallocate(p, bytes, 8);
}

template <class R>
void check_sizes(const char* name) {
  R r;
  for (const std::size_t bytes : {std::size_t{24}, std::size_t{200}, std::size_t{4000}}) {
    check(r, name, bytes);
  }
}

void check_buffer() {
  alignas(16) static std::byte buffer[4096];
  std::memset(buffer, 7, sizeof buffer);
  {
    mallard::monotonic_resource arena(buffer, sizeof buffer);
    if (knows_ends) expect(!may_be_used(buffer + 100), "buffer", "what is free may be used");
    auto* const p = static_cast<char*>(arena.allocate(64, 8));
    expect(may_be_used(p + 63), "buffer", "a block may not be used");
    std::memset(p, 1, 64);
    const auto mark = arena.mark();
    auto* const q = static_cast<char*>(arena.allocate(64, 8));
    expect(may_be_used(q), "buffer", "a second block may not be used");
    arena.rewind(mark);
    if (knows_ends) expect(!may_be_used(q), "buffer", "what was rewound may be used");
    expect(may_be_used(p), "buffer", "an earlier block may not be used");
  }
  expect(may_be_used(buffer) && may_be_used(buffer + 4095) && has_been_written(buffer + 4095),
         "buffer", "it stays marked when the arena is gone");
}

// Memory that goes back upstream has to be usable there.
void check_arena_on_arena() {
  mallard::monotonic_resource below;
  for (int i = 0; i < 3; ++i) {
    mallard::multipool_resource above(&below);
    std::pmr::memory_resource& base = above;
    auto* const p = static_cast<char*>(base.allocate(100, 8));
    std::memset(p, i, 100);
    base.deallocate(p, 100, 8);
  }
  below.rewind();
  auto* const p = static_cast<char*>(below.allocate(10'000, 8));
  expect(may_be_used(p) && may_be_used(p + 9'999), "arena on arena", "a block may not be used");
}

}  // namespace

int main() {
  check_sizes<mallard::multipool_resource>("multipool");
  check_sizes<mallard::heap_resource>("heap");
  {
    mallard::adaptive_pool_resource pool;
    check(pool, "adaptive_pool", 48);
  }
  {
    mallard::monotonic_resource arena;
    check(arena, "monotonic", 100);
  }
  check_buffer();
  check_arena_on_arena();
  return failures == 0 ? 0 : 1;
}
