// Follows the blocks of a trace: which event made a block, which ended it, and how. All analyses
// read traces through this class, so they agree on reallocations, temporary blocks and missing
// events.
//
//   struct counter : block_handler {
//     void born(const recorded&, live_block& block) { bytes += block.bytes; }
//     void died(const recorded&, live_block& block, const block_end& how) { … }
//     std::uint64_t bytes = 0;
//   } count;
//   block_stream blocks(trace);
//   blocks.run(trace.events(), count);  // any number of handlers; each gets all calls
//
// The rules:
// - A reallocation is one operation, with a death and a birth at the time when it ended. If another
//   thread got the old address before that, the old block's death was reported already.
// - A failed reallocation is no operation, like a failed allocation. Its block stays as it was.
// - A block is temporary if the next operation of the thread that made it frees it.
// - If a block is born where one is still alive, the free of the old one was not recorded.
// - Blocks of memory resources lie inside blocks of the heap and are reported apart: resource().
// - A stack that the trace has lost is 0.
//
// O(1) for each event. Memory: a Block for each live block, and about 16 bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "profile/live_table.hpp"
#include "profile/of_threads.hpp"
#include "profile/trace/event_batches.hpp"
#include "profile/trace/trace_reader.hpp"

namespace mallard::profile {

struct live_block {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;      // requested
  std::uint64_t born = 0;       // ns
  std::uint32_t operation = 0;  // the number of its birth among its thread's operations
  std::uint32_t thread = 0;
  std::uint32_t stack = 0;
  std::uint32_t tag = 0;  // a handler may set it at the birth and use it as it likes
};

struct block_end {
  enum class cause : std::uint8_t { freed, reallocated, not_recorded };
  cause why = cause::freed;
  bool temporary = false;
  bool remote = false;            // freed or moved by another thread than its allocator
  std::uint64_t moved_bytes = 0;  // copied to another place by the reallocation
};

// Calls to a handler, which defines those that it wants.
struct block_handler {
  // Comes some events before next(): the handler may prefetch the data for it.
  void soon(const recorded&) {}
  // Comes first for every event of any kind.
  void next(const recorded&) {}
  // A heap operation that succeeded; its deaths and its birth follow.
  void operation(const recorded&) {}
  template <class Block>
  void died(const recorded&, Block&, const block_end&) {}
  template <class Block>
  void born(const recorded&, Block&) {}
  // At the end, for each live block, in any order.
  template <class Block>
  void outlived(const Block&) {}
  // Comes last.
  void end() {}
  // A free or reallocation of a block that was never seen.
  void unknown_free(const recorded&) {}
  void failed(const recorded&) {}
  // The live bytes reached the value of expect_peak() for the first time.
  void at_peak() {}
  void sample(const recorded&) {}    // of processor time
  void scope(const recorded&) {}     // entered or left
  void resource(const recorded&) {}  // a block of a memory resource
};

// Block: live_block, or a class derived from it. Not thread-safe.
template <class Block = live_block>
class block_stream {
 public:
  explicit block_stream(const trace_reader& trace) : stacks_(trace.stacks().size()) {}

  void expect_peak(std::uint64_t bytes) { expected_peak_ = bytes; }
  const live_table<Block>& live() const { return live_; }
  // Returns: the block at an address, for a handler to change its own data there; null if none.
  Block* find(std::uint64_t address) { return live_.find(address); }
  std::uint64_t live_bytes() const { return live_bytes_; }

  // May be called once.
  template <class... Handlers>
  void run(event_stream events, Handlers&... to) {
    event_batches batches(std::move(events));
    for (auto some = batches.next(); !some.empty(); some = batches.next()) {
      for (recorded& one : some) {
        if (one.what.stack >= stacks_) one.what.stack = 0;
      }
      for (std::size_t i = 0; i < some.size(); ++i) {
        if (i + far_ahead < some.size()) look_ahead(some[i + far_ahead], to...);
        if (i + near_ahead < some.size()) live_.prefetch_block(dies(some[i + near_ahead].what));
        (to.next(some[i]), ...);
        take(some[i], to...);
      }
    }
    live_.for_each([&](const Block& block) { (to.outlived(block), ...); });
    (to.end(), ...);
  }

 private:
  // Blocks and stacks lie at nearly random places in memory. So the data of an event are prefetched
  // while earlier events are handled.
  static constexpr std::size_t far_ahead = 16, near_ahead = 8;

  static std::uint64_t dies(const event& what) {
    return what.kind == event_kind::free ? what.address : what.old_address;
  }

  template <class... Handlers>
  void look_ahead(const recorded& one, Handlers&... to) {
    live_.prefetch_slot(dies(one.what));
    (to.soon(one), ...);
  }

  template <class... Handlers>
  void take(const recorded& one, Handlers&... to) {
    const event& what = one.what;
    const bool is_scope =
        what.kind == event_kind::scope_enter || what.kind == event_kind::scope_exit;
    if (one.sample) {
      (to.sample(one), ...);
    } else if (is_scope) {
      (to.scope(one), ...);
    } else if (what.function == resource_function) {
      (to.resource(one), ...);
    } else if (what.address == 0 && (what.kind != event_kind::reallocate || what.size != 0)) {
      if (what.kind != event_kind::free) (to.failed(one), ...);
    } else {
      operate(one, to...);
    }
  }

  template <class... Handlers>
  void operate(const recorded& one, Handlers&... to) {
    const event& what = one.what;
    const bool frees = what.kind == event_kind::free;
    const std::uint64_t old = dies(what);
    if (!frees && what.address != 0 && what.address != old) {
      Block* const lost = live_.find(what.address);
      if (lost) end(one, *lost, {block_end::cause::not_recorded, false, false, 0}, to...);
    }
    const std::uint32_t number = ++operations_[one.thread];
    (to.operation(one), ...);
    if (what.kind != event_kind::allocate && old != 0) {
      Block* const block = live_.find(old);
      if (block && !frees && born_during(*block, one)) {
        // Another block has this address by now: see the rules above.
      } else if (block) {
        block_end how;
        how.remote = block->thread != one.thread && (frees || what.address != old);
        if (frees) {
          how.temporary = !how.remote && block->operation + 1 == number;
        } else {
          how.why = block_end::cause::reallocated;
          if (what.address != old) how.moved_bytes = std::min(block->bytes, what.size);
        }
        end(one, *block, how, to...);
      } else {
        (to.unknown_free(one), ...);
      }
    }
    if (frees || what.address == 0) return;
    Block fresh;
    fresh.address = what.address;
    fresh.bytes = what.size;
    fresh.born = what.time;
    fresh.operation = number;
    fresh.thread = one.thread;
    fresh.stack = what.stack;
    live_bytes_ += what.size;
    (to.born(one, fresh), ...);
    live_.insert(fresh);
    if (live_bytes_ == expected_peak_) {
      expected_peak_ = UINT64_MAX;
      (to.at_peak(), ...);
    }
  }

  // Whether another thread got the address while the reallocation went on to another one. Times are
  // rounded to steps of 16 ns; those of a thread's own events may be closer than costs say.
  static bool born_during(const Block& block, const recorded& reallocation) {
    const event& what = reallocation.what;
    return block.thread != reallocation.thread && what.address != what.old_address &&
           what.cost != 0 && block.born > what.time - what.cost + 16;
  }

  template <class... Handlers>
  void end(const recorded& one, Block& block, const block_end& how, Handlers&... to) {
    live_bytes_ -= block.bytes;
    (to.died(one, block, how), ...);
    live_.erase(&block);
  }

  std::size_t stacks_;
  live_table<Block> live_;
  of_threads<std::uint32_t> operations_;
  std::uint64_t live_bytes_ = 0;
  std::uint64_t expected_peak_ = UINT64_MAX;
};

// A handler that is chosen at run time.
class block_watcher {
 public:
  virtual ~block_watcher() = default;
  // Before the first event. `live` holds the live blocks, and is valid until end().
  virtual void begin(const live_table<live_block>& live) = 0;
  virtual void next(const recorded& one) = 0;
  virtual void operation(const recorded& one) = 0;
  virtual void died(const recorded& one, const live_block& block, const block_end& how) = 0;
  virtual void born(const recorded& one, const live_block& block) = 0;
  virtual void outlived(const live_block& block) = 0;
  virtual void end() = 0;
  virtual void at_peak() = 0;
  virtual void sample(const recorded& one) = 0;
};

// A handler that passes calls on to watchers.
class watchers final : public block_handler {
 public:
  explicit watchers(std::span<block_watcher* const> to) : to_(to) {}

  void next(const recorded& one) {
    for (block_watcher* const to : to_) to->next(one);
  }
  void operation(const recorded& one) {
    for (block_watcher* const to : to_) to->operation(one);
  }
  void died(const recorded& one, live_block& block, const block_end& how) {
    for (block_watcher* const to : to_) to->died(one, block, how);
  }
  void born(const recorded& one, live_block& block) {
    for (block_watcher* const to : to_) to->born(one, block);
  }
  void outlived(const live_block& block) {
    for (block_watcher* const to : to_) to->outlived(block);
  }
  void end() {
    for (block_watcher* const to : to_) to->end();
  }
  void at_peak() {
    for (block_watcher* const to : to_) to->at_peak();
  }
  void sample(const recorded& one) {
    for (block_watcher* const to : to_) to->sample(one);
  }

 private:
  std::span<block_watcher* const> to_;
};

}  // namespace mallard::profile
