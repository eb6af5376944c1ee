// The side table, the pads and the switch that makes calls fail.
#include "mallard/checks/test_resource.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mallard/detail/resources/upstream_lock.hpp"

namespace mallard::inline v1 {
namespace {

constexpr std::size_t pad_bytes = 64;
constexpr std::size_t remembered_frees = 256;
constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

constexpr std::uint64_t unknown_serial = never;

constexpr unsigned char pad_fill = 0xB1;
constexpr unsigned char new_fill = 0xCD;
constexpr unsigned char dead_fill = 0xDD;

struct record {
  std::size_t bytes;
  std::size_t alignment;
  std::uint64_t serial;
};

// The bytes in front of a block end in its pad, and are enough to keep it aligned.
std::size_t front_bytes(std::size_t alignment) {
  return std::max(alignment, pad_bytes);
}

std::size_t padded_bytes(const record& r) {
  return front_bytes(r.alignment) + r.bytes + pad_bytes;
}

bool intact(const unsigned char* pad) {
  return std::all_of(pad, pad + pad_bytes, [](unsigned char c) { return c == pad_fill; });
}

// Filling all of a huge block would touch pages that its user never needs.
void fill(unsigned char* block, std::size_t bytes, unsigned char value) {
  constexpr std::size_t filled_whole = std::size_t{1} << 20;
  constexpr std::size_t filled_end = filled_whole / 16;
  if (bytes <= filled_whole) {
    std::memset(block, value, bytes);
    return;
  }
  std::memset(block, value, filled_end);
  std::memset(block + bytes - filled_end, value, filled_end);
}

void print_and_abort(const test_report& r) {
  std::fprintf(stderr, "mallard::test_resource: %s: block %p, %zu bytes at alignment %zu",
               to_string(r.fault), r.block, r.bytes, r.alignment);
  if (r.serial != unknown_serial) {
    std::fprintf(stderr, ", given by allocation %llu with %zu at %zu",
                 static_cast<unsigned long long>(r.serial), r.expected_bytes, r.expected_alignment);
  }
  if (r.blocks > 1) std::fprintf(stderr, ", the oldest of %zu blocks", r.blocks);
  std::fputc('\n', stderr);
  std::abort();
}

test_report describe(test_fault fault, const void* block, const record& r) {
  return {fault, block, r.serial, r.bytes, r.alignment, r.bytes, r.alignment, 1};
}

}  // namespace

const char* to_string(test_fault fault) noexcept {
  switch (fault) {
    case test_fault::overrun:
      return "overrun";
    case test_fault::underrun:
      return "underrun";
    case test_fault::double_free:
      return "double_free";
    case test_fault::foreign_pointer:
      return "foreign_pointer";
    case test_fault::wrong_size:
      return "wrong_size";
    case test_fault::wrong_alignment:
      return "wrong_alignment";
    case test_fault::bad_alignment:
      return "bad_alignment";
    case test_fault::leak:
      return "leak";
  }
  return "?";
}

struct test_resource::state {
  state(handler h, std::pmr::memory_resource* up) : on_fault(std::move(h)), upstream(up) {}

  // Appends what is wrong with the pads of `block`. The caller holds the lock.
  static void check_pads(const unsigned char* block, const record& r,
                         std::vector<test_report>& found) {
    if (!intact(block - pad_bytes)) found.push_back(describe(test_fault::underrun, block, r));
    if (!intact(block + r.bytes)) {
      found.push_back(describe(test_fault::overrun, block, r));
    }
  }

  // Outside the lock: a handler may well use the resource.
  void report(const std::vector<test_report>& found) const {
    for (const test_report& r : found) on_fault(r);
  }

  void arm(std::uint64_t first, std::uint64_t last) noexcept {
    const std::lock_guard lock(mutex);
    first_failing = first;
    last_failing = last;
    calls_since_armed = 0;
    failures = 0;
  }

  // Throws test_exception when this call was told to fail.
  void count_call(std::size_t bytes, std::size_t alignment) {
    const std::lock_guard lock(mutex);
    const std::uint64_t call = calls_since_armed++;
    if (call < first_failing || call > last_failing) return;
    ++failures;
    throw test_exception(bytes, alignment);
  }

  // Takes the block out of the table and appends what is wrong with it; nothing when it is not
  // there.
  std::optional<record> take_out(void* p, std::size_t bytes, std::size_t alignment,
                                 std::vector<test_report>& found) {
    const std::lock_guard lock(mutex);
    const auto at = in_use.find(p);
    if (at == in_use.end()) {
      const bool again = p != nullptr && std::find(freed.begin(), freed.end(), p) != freed.end();
      found.push_back(describe(again ? test_fault::double_free : test_fault::foreign_pointer, p,
                               {bytes, alignment, unknown_serial}));
      return std::nullopt;
    }
    const record r = at->second;
    const auto mismatch = [&](test_fault fault) {
      found.push_back({fault, p, r.serial, bytes, alignment, r.bytes, r.alignment, 1});
    };
    if (bytes != r.bytes) mismatch(test_fault::wrong_size);
    if (alignment != r.alignment) mismatch(test_fault::wrong_alignment);
    check_pads(static_cast<const unsigned char*>(p), r, found);
    in_use.erase(at);
    freed[counts.deallocations % remembered_frees] = p;
    counts.on_deallocate(r.bytes);
    return r;
  }

  mutable std::mutex mutex;
  const handler on_fault;
  detail::locked_upstream upstream;
  std::pmr::memory_resource* const source = upstream.source();

  std::unordered_map<const void*, record> in_use;
  std::array<const void*, remembered_frees> freed{};  // a ring
  allocation_counts counts;

  // Calls numbered first_failing to last_failing since arming throw.
  std::uint64_t first_failing = never;
  std::uint64_t last_failing = never;
  std::uint64_t calls_since_armed = 0;
  std::uint64_t failures = 0;
};

test_resource::test_resource(std::pmr::memory_resource* upstream)
    : test_resource(print_and_abort, upstream) {}

test_resource::test_resource(handler on_fault, std::pmr::memory_resource* upstream)
    : state_(new state(std::move(on_fault), upstream)) {}

test_resource::~test_resource() {
  report_leaks();
  delete state_;
}

void test_resource::fail_at(std::uint64_t n) noexcept {
  state_->arm(n, n);
}
void test_resource::fail_after(std::uint64_t n) noexcept {
  state_->arm(n, never);
}
void test_resource::never_fail() noexcept {
  state_->arm(never, never);
}

std::uint64_t test_resource::failures() const noexcept {
  const std::lock_guard lock(state_->mutex);
  return state_->failures;
}

allocation_counts test_resource::counts() const noexcept {
  const std::lock_guard lock(state_->mutex);
  return state_->counts;
}

std::pmr::memory_resource* test_resource::upstream_resource() const noexcept {
  return state_->upstream.to();
}

void test_resource::verify() const {
  std::vector<test_report> found;
  {
    const std::lock_guard lock(state_->mutex);
    for (const auto& [block, r] : state_->in_use) {
      state::check_pads(static_cast<const unsigned char*>(block), r, found);
    }
  }
  state_->report(found);
}

void test_resource::report_leaks(std::uint64_t first) const {
  test_report leak{test_fault::leak, nullptr, unknown_serial, 0, 0, 0, 0, 0};
  {
    const std::lock_guard lock(state_->mutex);
    for (const auto& [block, r] : state_->in_use) {
      if (r.serial < first) continue;
      ++leak.blocks;
      leak.bytes += r.bytes;
      if (r.serial >= leak.serial) continue;
      leak.block = block;
      leak.serial = r.serial;
      leak.alignment = leak.expected_alignment = r.alignment;
      leak.expected_bytes = r.bytes;
    }
  }
  if (leak.blocks != 0) state_->on_fault(leak);
}

void* test_resource::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (!std::has_single_bit(alignment)) {
    state_->on_fault(
        describe(test_fault::bad_alignment, nullptr, {bytes, alignment, unknown_serial}));
    throw std::bad_alloc();
  }
  state_->count_call(bytes, alignment);
  // No object is larger than PTRDIFF_MAX, so neither is a block with its pads.
  constexpr auto largest = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
  record r{bytes, alignment, unknown_serial};
  const std::size_t front = front_bytes(alignment);
  if (front > largest - pad_bytes || bytes > largest - pad_bytes - front) throw std::bad_alloc();

  // The lock is not held while upstream is called, which may have locks of its own.
  void* const base = state_->source->allocate(padded_bytes(r), alignment);
  unsigned char* const block = static_cast<unsigned char*>(base) + front;
  std::memset(block - pad_bytes, pad_fill, pad_bytes);
  fill(block, bytes, new_fill);
  std::memset(block + bytes, pad_fill, pad_bytes);
  try {
    const std::lock_guard lock(state_->mutex);
    r.serial = state_->counts.allocations;
    state_->in_use.insert_or_assign(block, r);
    state_->counts.on_allocate(bytes, alignment);
  } catch (...) {
    state_->source->deallocate(base, padded_bytes(r), alignment);
    throw;
  }
  return block;
}

void test_resource::do_deallocate(void* p, std::size_t bytes, std::size_t alignment) {
  std::vector<test_report> found;
  const std::optional<record> r = state_->take_out(p, bytes, alignment, found);
  if (r) {
    auto* const block = static_cast<unsigned char*>(p);
    fill(block, r->bytes, dead_fill);
    state_->source->deallocate(block - front_bytes(r->alignment), padded_bytes(*r), r->alignment);
  }
  state_->report(found);
}

bool test_resource::do_is_equal(const std::pmr::memory_resource& other) const noexcept {
  return this == &other;
}

}  // namespace mallard::inline v1
