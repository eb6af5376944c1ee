// A table has a record of each block in use: size, alignment, serial number, stack. A block lies
// between two pads of a known pattern. When it is given back, it is filled with another pattern and
// waits in quarantine; the oldest blocks are checked and go back to upstream when there are too
// many bytes. A ring of the last 256 frees tells a double free from a foreign pointer. A registry
// of all test resources finds the owner of a block that is given to the wrong one. A resource's
// lock is held neither while upstream works nor while the handler runs.
#include "mallard/checks/test_resource.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checks/add_report.hpp"
#include "checks/failing_calls.hpp"
#include "checks/padded_block.hpp"
#include "checks/stack_set.hpp"
#include "mallard/checks/checked.hpp"
#include "mallard/detail/bits.hpp"
#include "mallard/detail/checks/effects.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/core/or_null.hpp"
#include "mallard/detail/resources/allocate_from.hpp"
#include "mallard/detail/resources/upstream_lock.hpp"

namespace mallard::inline v1 {
namespace {

constexpr std::size_t remembered_frees = 256;
constexpr std::size_t most_leak_groups = 16;

constinit std::mutex watched_lock;

// A lock that the program's destructors do not take themselves, so it is not noted.
class [[nodiscard]] unwatched_lock {
 public:
  explicit unwatched_lock(std::mutex& mutex) : hold_(mutex) {}
  unwatched_lock(const unwatched_lock&) = delete;
  unwatched_lock& operator=(const unwatched_lock&) = delete;

 private:
  const detail::unwatched ours_;
  const std::lock_guard<std::mutex> hold_;
};

// In the order of making; never destroyed.
std::vector<const test_resource*>& all_resources() {
  static auto& all = *new std::vector<const test_resource*>;
  return all;
}

struct record {
  std::size_t bytes;  // asked for
  std::size_t room;   // at least as many
  std::size_t alignment;
  std::uint64_t serial;
  const call_stack* given;
};

struct dead_block {
  unsigned char* block = nullptr;
  record was{};
  const call_stack* taken_back = nullptr;
  bool is_held = false;  // in quarantine: upstream does not have it back yet
};

using leaving_blocks = std::array<dead_block, 2>;  // without a block: none

call_stack copy_of(const call_stack* stack) {
  return stack != nullptr ? *stack : call_stack{};
}

}  // namespace

namespace detail {

void* try_allocate_from(std::pmr::memory_resource& from, std::size_t bytes,
                        std::size_t alignment) noexcept {
  return or_null([&] { return from.allocate(bytes, alignment); });
}

}  // namespace detail

struct test_resource::state {
  state(test_options o, handler h, std::pmr::memory_resource* up)
      : options(o), on_fault(std::move(h)), upstream(up) {
    options.stack_frames = std::min(options.stack_frames, call_stack::most_frames);
    (void)call_stack::capture(options.stack_frames);  // the first may allocate
  }

  detail::padded_block padded(unsigned char* block, const record& r) const {
    return {block, r.room, r.alignment, options.pad_bytes};
  }

  test_report describe(test_fault fault, const void* block, const record& r) const {
    test_report out;
    out.fault = fault;
    out.block = block;
    out.serial = r.serial;
    out.bytes = out.expected_bytes = r.bytes;
    out.alignment = out.expected_alignment = r.alignment;
    out.resource = options.name;
    out.given = copy_of(r.given);
    return out;
  }

  // Appends what is wrong with the pads of a block. The caller holds the lock.
  void check_pads(unsigned char* block, const record& r, std::vector<test_report>& found) const {
    const auto p = padded(block, r);
    if (!p.is_front_intact()) detail::add_report(found, describe(test_fault::underrun, block, r));
    if (!p.is_back_intact()) detail::add_report(found, describe(test_fault::overrun, block, r));
  }

  // The same for a block in quarantine, and whether it was written to. The caller holds the lock.
  void check_dead(const dead_block& b, std::vector<test_report>& found) const {
    const auto p = padded(b.block, b.was);
    detail::unpoison(b.block, b.was.room);
    const bool intact = p.is_dead() && p.is_front_intact() && p.is_back_intact();
    detail::poison(b.block, b.was.room);
    if (intact) return;
    test_report out = describe(test_fault::use_after_free, b.block, b.was);
    out.taken_back = copy_of(b.taken_back);
    detail::add_report(found, out);
  }

  // Outside the lock, because a handler may well use the resource.
  void report(std::vector<test_report>& found, const call_stack& here) const {
    for (test_report& r : found) {
      r.found = here;
      on_fault(r);
    }
  }

  // Gives the oldest blocks in quarantine back, until so many bytes are left. Outside the lock.
  void shorten_quarantine(std::size_t bytes, std::vector<test_report>& found) {
    for (;;) {
      dead_block oldest;
      {
        const unwatched_lock hold(mutex);
        if (held_bytes <= bytes) return;
        oldest = let_go(freed[oldest_held++ % remembered_frees], found);
      }
      give_back(oldest);
    }
  }
  // Never 0, so that empty blocks leave too.
  std::size_t held_bytes_of(const dead_block& b) const {
    return padded(b.block, b.was).whole_bytes() + 1;
  }
  // Returns: the block that upstream gets back; none if it is not held. The caller holds the lock.
  dead_block let_go(dead_block& b, std::vector<test_report>& found) {
    if (!std::exchange(b.is_held, false)) return {};
    check_dead(b, found);
    held_bytes -= held_bytes_of(b);
    return b;
  }
  void give_back(const dead_block& b) {
    if (b.block == nullptr) return;
    detail::unpoison(b.block, b.was.room);
    const auto p = padded(b.block, b.was);
    source->deallocate(p.base(), p.whole_bytes(), b.was.alignment);
  }
  bool holds_any() const {
    const unwatched_lock hold(mutex);
    return held_bytes != 0;
  }
  void empty_quarantine() {
    std::vector<test_report> found;
    shorten_quarantine(0, found);
    if (!found.empty()) report(found, call_stack::capture(options.stack_frames));
  }

  // For blocks that were given back to us but are not ours.
  test_report describe_stranger(void* p, std::size_t bytes, std::size_t alignment) {
    test_report out = describe(test_fault::foreign_pointer, p,
                               {bytes, bytes, alignment, unknown_serial, nullptr});
    {
      const unwatched_lock hold(mutex);
      for (std::uint64_t n = frees; n-- > 0 && frees - n <= remembered_frees;) {
        const dead_block& b = freed[n % remembered_frees];
        if (b.block != p || p == nullptr) continue;
        out.fault = test_fault::double_free;
        out.serial = b.was.serial;
        out.expected_bytes = b.was.bytes;
        out.expected_alignment = b.was.alignment;
        out.given = copy_of(b.was.given);
        out.taken_back = copy_of(b.taken_back);
        return out;
      }
    }
    const auto copy_facts = [&](const test_block& b) {
      out.serial = b.serial;
      out.expected_bytes = b.bytes;
      out.expected_alignment = b.alignment;
      out.given = copy_of(b.given);
    };
    const test_block around = block_of(p);
    if (around.block != nullptr) {
      out.inside = around.block;
      copy_facts(around);
      return out;
    }
    const unwatched_lock hold(watched_lock);
    for (const test_resource* other : all_resources()) {
      const test_block theirs = other->block_of(p);
      if (theirs.block != p || p == nullptr) continue;
      out.fault = test_fault::wrong_resource;
      out.other = other->name();
      copy_facts(theirs);
      return out;
    }
    return out;
  }

  test_block block_of(const void* p) const noexcept {
    const unwatched_lock hold(mutex);
    if (const auto at = in_use.find(p); at != in_use.end()) {
      const record& r = at->second;
      return {p, r.bytes, r.alignment, r.serial, r.given};
    }
    for (const auto& [block, r] : in_use) {
      const auto* const begin = static_cast<const unsigned char*>(block);
      if (p != begin && (p < begin || p >= begin + r.room)) continue;
      return {block, r.bytes, r.alignment, r.serial, r.given};
    }
    return {};
  }

  // Takes the block out of the table, puts it into quarantine, and appends what is wrong with it.
  // False when it is not there. Upstream gets back what is in `leaving`.
  bool take_out(void* p, std::size_t bytes, std::size_t alignment, const call_stack& here,
                std::vector<test_report>& found, leaving_blocks& leaving) {
    const unwatched_lock hold(mutex);
    const auto at = in_use.find(p);
    if (at == in_use.end()) return false;
    auto* const block = static_cast<unsigned char*>(p);
    const record r = at->second;
    const auto mismatch = [&](test_fault fault) {
      test_report out = describe(fault, p, r);
      out.bytes = bytes;
      out.alignment = alignment;
      detail::add_report(found, out);
    };
    if (bytes != r.bytes) mismatch(test_fault::wrong_size);
    if (alignment != r.alignment) mismatch(test_fault::wrong_alignment);
    check_pads(block, r, found);
    in_use.erase(at);
    counts.on_deallocate(r.bytes);
    leaving = quarantine({block, r, stacks.try_add(here), true}, found);
    return true;
  }

  // Returns: the blocks that upstream gets back at once: the one that was in its place, and the
  // block itself if it is too large. The caller holds the lock.
  leaving_blocks quarantine(const dead_block& b, std::vector<test_report>& found) {
    const auto p = padded(b.block, b.was);
    p.fill_dead();
    p.fill_pads();  // what was wrong with them has been reported
    detail::poison(b.block, b.was.room);
    dead_block& slot = freed[frees++ % remembered_frees];
    leaving_blocks leaving{let_go(slot, found)};
    oldest_held = std::max(oldest_held, frees > remembered_frees ? frees - remembered_frees : 0);
    slot = b;
    held_bytes += held_bytes_of(b);
    if (held_bytes_of(b) > options.quarantine_bytes) leaving[1] = let_go(slot, found);
    return leaving;
  }

  mutable std::mutex mutex;
  test_options options;
  const handler on_fault;
  detail::locked_upstream upstream;
  std::pmr::memory_resource* const source = upstream.source();

  std::unordered_map<const void*, record> in_use;
  std::array<dead_block, remembered_frees> freed{};  // a ring
  std::uint64_t frees = 0;                           // into the ring
  std::uint64_t oldest_held = 0;                     // none before it is in quarantine
  std::size_t held_bytes = 0;
  detail::stack_set stacks;
  allocation_counts counts;
  detail::failing_calls failing;
};

test_resource::test_resource(resource_ref upstream) : test_resource(test_options{}, upstream) {}

test_resource::test_resource(test_options options, resource_ref upstream)
    : test_resource(options, detail::print_and_abort, upstream) {}

test_resource::test_resource(handler on_fault, resource_ref upstream)
    : test_resource(test_options{}, std::move(on_fault), upstream) {}

test_resource::test_resource(test_options options, handler on_fault, resource_ref upstream)
    : state_(nullptr) {
  const detail::unwatched ours;
  state_ = new state(options, std::move(on_fault), upstream);
  const unwatched_lock hold(watched_lock);
  all_resources().push_back(this);
}

test_resource::~test_resource() {
  const detail::unwatched ours;
  report_leaks();
  state_->empty_quarantine();
  {
    const unwatched_lock hold(watched_lock);
    std::erase(all_resources(), this);
  }
  delete state_;
}

void test_resource::fail_at(std::uint64_t n) noexcept {
  const unwatched_lock hold(state_->mutex);
  state_->failing.arm(n, n);
}
void test_resource::fail_after(std::uint64_t n) noexcept {
  const unwatched_lock hold(state_->mutex);
  state_->failing.arm(n, detail::failing_calls::never);
}
void test_resource::fail_by_chance(double probability, std::uint64_t seed) noexcept {
  const unwatched_lock hold(state_->mutex);
  state_->failing.arm_by_chance(probability, seed);
}
void test_resource::never_fail() noexcept {
  const unwatched_lock hold(state_->mutex);
  state_->failing = {};
}

std::uint64_t test_resource::failures() const noexcept {
  const unwatched_lock hold(state_->mutex);
  return state_->failing.failures();
}

allocation_counts test_resource::counts() const noexcept {
  const unwatched_lock hold(state_->mutex);
  return state_->counts;
}

const char* test_resource::name() const noexcept {
  return state_->options.name;
}

std::pmr::memory_resource* test_resource::upstream_resource() const noexcept {
  return state_->upstream.to();
}

void test_resource::verify() const {
  const detail::unwatched ours;
  std::vector<test_report> found;
  {
    const unwatched_lock hold(state_->mutex);
    for (const auto& [block, r] : state_->in_use) {
      state_->check_pads(static_cast<unsigned char*>(const_cast<void*>(block)), r, found);
    }
    for (const dead_block& b : state_->freed) {
      if (b.is_held) state_->check_dead(b, found);
    }
  }
  if (!found.empty()) {
    state_->report(found, call_stack::capture(state_->options.stack_frames));
  }
}

void test_resource::report_leaks(std::uint64_t first) const {
  const detail::unwatched ours;
  test_report leak;
  leak.fault = test_fault::leak;
  leak.serial = unknown_serial;
  leak.blocks = 0;
  leak.resource = state_->options.name;
  std::map<const call_stack*, leak_group> by_stack;
  {
    const unwatched_lock hold(state_->mutex);
    for (const auto& [block, r] : state_->in_use) {
      if (r.serial < first) continue;
      ++leak.blocks;
      leak.bytes += r.bytes;
      leak_group& group = by_stack[r.given];
      ++group.blocks;
      group.bytes += r.bytes;
      if (r.serial >= leak.serial) continue;
      leak.block = block;
      leak.serial = r.serial;
      leak.alignment = leak.expected_alignment = r.alignment;
      leak.expected_bytes = r.bytes;
      leak.given = copy_of(r.given);
    }
  }
  if (leak.blocks == 0) return;
  std::vector<leak_group> groups;
  for (auto& [stack, group] : by_stack) {
    group.given = copy_of(stack);
    groups.push_back(group);
  }
  std::sort(groups.begin(), groups.end(),
            [](const leak_group& a, const leak_group& b) { return a.bytes > b.bytes; });
  leak.groups = groups.data();
  leak.group_count = std::min(groups.size(), most_leak_groups);
  state_->on_fault(leak);
}

void test_resource::forget(std::uint64_t first) {
  verify();
  const unwatched_lock hold(state_->mutex);
  std::erase_if(state_->in_use, [&](const auto& entry) {
    const record& r = entry.second;
    if (r.serial < first) return false;
    state_->counts.on_deallocate(r.bytes);
    return true;
  });
  for (dead_block& b : state_->freed) {
    if (!b.is_held || b.was.serial < first) continue;
    detail::unpoison(b.block, b.was.room);
    state_->held_bytes -= state_->held_bytes_of(b);
    b = {};
  }
}

void test_resource::report(const test_report& what) const {
  state_->on_fault(what);
}

test_block test_resource::block_of(const void* p) const noexcept {
  return state_->block_of(p);
}

void test_resource::for_each_block(void (*what)(void* context, const test_block& block),
                                   void* context) const {
  const unwatched_lock hold(state_->mutex);
  for (const auto& [block, r] : state_->in_use) {
    what(context, {block, r.bytes, r.alignment, r.serial, r.given});
  }
}

void test_resource::for_each(void (*what)(void* context, const test_resource& resource),
                             void* context) {
  const unwatched_lock hold(watched_lock);
  for (const test_resource* one : all_resources()) what(context, *one);
}

void* test_resource::do_allocate(std::size_t bytes, std::size_t alignment) {
  return allocate_with_room(bytes, bytes, alignment);
}

void* test_resource::allocate_with_room(std::size_t bytes, std::size_t room,
                                        std::size_t alignment) {
  using detail::padded_block;
  const detail::unwatched ours;
  const call_stack here = call_stack::capture(state_->options.stack_frames);
  if (!detail::is_power_of_two(alignment)) {
    std::vector<test_report> found{state_->describe(
        test_fault::bad_alignment, nullptr, {bytes, bytes, alignment, unknown_serial, nullptr})};
    state_->report(found, here);
    throw std::bad_alloc();
  }
  {
    const unwatched_lock hold(state_->mutex);
    if (state_->failing.next_fails()) throw test_exception(bytes, alignment);
  }
  // No object is larger than PTRDIFF_MAX, so neither is a block with its pads.
  constexpr std::size_t largest = detail::largest_object_bytes;
  const std::size_t pads = state_->options.pad_bytes;
  const std::size_t front = padded_block::front_bytes(alignment, pads);
  if (front > largest - pads || room > largest - pads - front) throw std::bad_alloc();

  // The lock is not held while upstream is called, which may have locks of its own.
  const std::size_t whole = front + room + pads;
  const auto ask = [&] { return state_->source->allocate(whole, alignment); };
  void* base = nullptr;
  try {
    base = ask();
  } catch (const std::bad_alloc&) {
    if (!state_->holds_any()) throw;
    state_->empty_quarantine();
    base = ask();
  }
  unsigned char* const block = static_cast<unsigned char*>(base) + front;
  padded_block(block, room, alignment, pads).fill_new();
  try {
    const unwatched_lock hold(state_->mutex);
    state_->in_use.insert_or_assign(
        block,
        record{bytes, room, alignment, state_->counts.allocations, state_->stacks.add(here)});
    state_->counts.on_allocate(bytes, alignment);
  } catch (...) {
    state_->source->deallocate(base, whole, alignment);
    throw;
  }
  return block;
}

void test_resource::do_deallocate(void* p, std::size_t bytes, std::size_t alignment) {
  if (detail::watched_effects != nullptr && detail::watched_effects->memory != this) {
    detail::note_effect(detail::effect::other_resource);
  }
  const detail::unwatched ours;
  const call_stack here = call_stack::capture(state_->options.stack_frames);
  std::vector<test_report> found;
  leaving_blocks leaving;
  if (state_->take_out(p, bytes, alignment, here, found, leaving)) {
    for (const dead_block& b : leaving) state_->give_back(b);
    state_->shorten_quarantine(state_->options.quarantine_bytes, found);
  } else {
    detail::add_report(found, state_->describe_stranger(p, bytes, alignment));
  }
  state_->report(found, here);
}

bool test_resource::do_is_equal(const std::pmr::memory_resource& other) const noexcept {
  return this == &other;
}

}  // namespace mallard::inline v1
