// A block is some pages between two that fault; a table holds the pages of each.
#include "mallard/checks/guard_resource.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <limits>
#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checks/add_report.hpp"
#include "mallard/detail/bits.hpp"
#include "mallard/detail/os/pages.hpp"
#include "mallard/detail/resources/allocate_from.hpp"

namespace mallard::inline v1 {
namespace {

namespace os = detail::os;

constexpr unsigned char slack_fill = 0xB1;

struct guarded_block {
  std::size_t bytes;
  std::size_t alignment;
  std::byte* pages;  // those that can be used
  std::size_t page_bytes;
  std::byte* reserved;  // and those around them
  std::size_t reserved_bytes;
  call_stack given;
};

struct gone_block {
  void* block;
  guarded_block was;
  call_stack taken_back;
};

// The bytes behind a block on its pages.
std::pair<unsigned char*, unsigned char*> slack_of(void* p, const guarded_block& b) {
  auto* const end = reinterpret_cast<unsigned char*>(b.pages + b.page_bytes);
  return {std::min(static_cast<unsigned char*>(p) + b.bytes, end), end};
}

}  // namespace

struct guard_resource::state {
  state(guard_options o, test_handler h) : options(o), on_fault(std::move(h)) {}

  test_report describe(test_fault fault, void* p, std::size_t bytes, std::size_t alignment) const {
    test_report out;
    out.fault = fault;
    out.block = p;
    out.serial = std::numeric_limits<std::uint64_t>::max();
    out.bytes = out.expected_bytes = bytes;
    out.alignment = out.expected_alignment = alignment;
    out.resource = options.name;
    out.found = call_stack::capture();
    return out;
  }

  void report(const test_report& what) const { on_fault(what); }

  // Null when the system refuses.
  void* map(std::size_t bytes, std::size_t alignment, guarded_block& b) const {
    const std::size_t page = os::page_size();
    if (alignment > detail::largest_object_bytes / 4 || bytes > detail::largest_object_bytes / 4)
      return nullptr;
    const bool at_end = options.side == guarded_side::end;
    // An odd size ends before the page does, so that the block is aligned. A block aligned to more
    // than a page begins at a page.
    const bool by_end = at_end && alignment <= page;
    const std::size_t used = by_end ? detail::round_up(bytes, alignment) : bytes;
    b.page_bytes = detail::round_up(used, page);
    const std::size_t beyond = alignment > page ? alignment : 0;
    b.reserved_bytes = b.page_bytes + 2 * page + beyond;
    b.reserved = static_cast<std::byte*>(os::reserve(b.reserved_bytes));
    if (b.reserved == nullptr) return nullptr;
    const std::uintptr_t first = detail::address_of(b.reserved) + page;
    const std::uintptr_t pages = by_end ? first : detail::round_up(first, alignment);
    b.pages = b.reserved + (pages - detail::address_of(b.reserved));
    if (b.page_bytes != 0 && !os::commit(b.pages, b.page_bytes)) {
      os::unmap(b.reserved, b.reserved_bytes);
      return nullptr;
    }
    return by_end ? b.pages + b.page_bytes - used : b.pages;
  }

  static void unmap(const guarded_block& b) { os::unmap(b.reserved, b.reserved_bytes); }

  // Without memory to remember the block, its addresses go at once. The caller holds the lock.
  void keep(const gone_block& g) noexcept {
    try {
      gone.push_back(g);
    } catch (const std::bad_alloc&) {
      unmap(g.was);
    }
    while (gone.size() > options.kept_blocks) {
      unmap(gone.front().was);
      gone.pop_front();
    }
  }

  test_report describe_stranger(void* p, std::size_t bytes, std::size_t alignment) const {
    test_report out = describe(test_fault::foreign_pointer, p, bytes, alignment);
    for (const gone_block& g : gone) {
      if (g.block != p) continue;
      out.fault = test_fault::double_free;
      out.given = g.was.given;
      out.taken_back = g.taken_back;
    }
    return out;
  }

  guard_options options;
  test_handler on_fault;
  mutable std::mutex mutex;
  std::unordered_map<void*, guarded_block> in_use;
  std::deque<gone_block> gone;  // the oldest first; nobody else gets their addresses
};

guard_resource::guard_resource(guard_options options)
    : guard_resource(options, detail::print_and_abort) {}

guard_resource::guard_resource(guard_options options, test_handler on_fault)
    : state_(new state(options, std::move(on_fault))) {}

guard_resource::~guard_resource() {
  release();
  delete state_;
}

void* guard_resource::allocate(std::size_t bytes, std::size_t alignment) {
  MALLARD_ASSERT(detail::is_power_of_two(alignment));
  guarded_block b{bytes, alignment, nullptr, 0, nullptr, 0, call_stack::capture()};
  void* const p = state_->map(bytes, alignment, b);
  if (p == nullptr) throw std::bad_alloc();
  const auto [slack, end] = slack_of(p, b);
  std::memset(slack, slack_fill, static_cast<std::size_t>(end - slack));
  try {
    const std::lock_guard hold(state_->mutex);
    state_->in_use.emplace(p, b);
  } catch (...) {
    state::unmap(b);
    throw;
  }
  return p;
}

void guard_resource::deallocate(void* p, std::size_t bytes, std::size_t alignment) {
  std::vector<test_report> found;
  {
    const std::lock_guard hold(state_->mutex);
    const auto at = state_->in_use.find(p);
    if (at == state_->in_use.end()) {
      detail::add_report(found, state_->describe_stranger(p, bytes, alignment));
    } else {
      const guarded_block b = at->second;
      const auto add = [&](test_fault fault) {
        test_report r = state_->describe(fault, p, bytes, alignment);
        r.expected_bytes = b.bytes;
        r.expected_alignment = b.alignment;
        r.given = b.given;
        detail::add_report(found, r);
      };
      if (bytes != b.bytes) add(test_fault::wrong_size);
      if (alignment != b.alignment) add(test_fault::wrong_alignment);
      const auto [slack, end] = slack_of(p, b);
      if (!std::all_of(slack, end, [](unsigned char c) { return c == slack_fill; })) {
        add(test_fault::overrun);
      }
      // The addresses fault from now on, without memory behind them.
      os::purge(b.pages, b.page_bytes);
      os::protect(b.pages, b.page_bytes);
      state_->in_use.erase(at);
      state_->keep({p, b, call_stack::capture()});
    }
  }
  for (const test_report& r : found) state_->report(r);
}

void guard_resource::release() noexcept {
  const std::lock_guard hold(state_->mutex);
  for (const auto& [p, b] : state_->in_use) state::unmap(b);
  for (const gone_block& g : state_->gone) state::unmap(g.was);
  state_->in_use.clear();
  state_->gone.clear();
}

std::size_t guard_resource::in_use_blocks() const noexcept {
  const std::lock_guard hold(state_->mutex);
  return state_->in_use.size();
}

}  // namespace mallard::inline v1
