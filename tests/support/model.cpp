#include "support/model.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "support/workbench.hpp"

namespace mallard_test {
namespace {

// Enough to fill several chunks and slabs, and little enough for a thousand programs a minute.
constexpr std::size_t most_blocks = 2000;
constexpr std::size_t most_live_bytes = 8u << 20;
constexpr std::size_t most_bytes_without_reuse = 24u << 20;

class program {
 public:
  program(const resource_case& what, choices& decisions) : bench_(what), decide_(decisions) {}

  void run() {
    while (!decide_.done()) step();
    bench_.finish();
  }

 private:
  struct request {
    std::size_t bytes;
    std::size_t alignment;
  };

  void step() {
    // Weights out of 256. Allocation outweighs deallocation until the limits are reached.
    const std::size_t dice = decide_.below(256);
    if (dice < 120) {
      allocate();
    } else if (dice < 216) {
      deallocate();
    } else if (dice < 224) {
      try_allocate();
    } else if (dice < 232) {
      allocate_with_failing_upstream();
    } else if (dice < 240) {
      resize();
    } else if (dice < 244) {
      push_mark();
    } else if (dice < 248) {
      rewind_to_mark();
    } else if (dice < 250) {
      trim();
    } else if (dice < 252) {
      refuse_absurd_size();
    } else {
      forget_everything(dice - 252);
    }
  }

  request pick() {
    static constexpr std::array<std::size_t, 8> limits = {33, 65, 129, 513, 513, 2049, 9001, 65536};
    std::size_t bytes = decide_.below(limits[decide_.below(limits.size())]);
    if (decide_.below(64) == 0) bytes = bytes * 16 + decide_.below(16);  // up to 1 MiB
    const std::size_t steps = decide_.below(4) == 0 ? 13 : 5;
    return {bytes, std::size_t{1} << decide_.below(steps)};
  }

  bool full() const {
    return bench_.blocks.size() >= most_blocks || live_bytes_ >= most_live_bytes ||
           (bench_.what().deallocate_is_noop && bytes_since_reuse_ >= most_bytes_without_reuse);
  }

  void added(void* p, request r) {
    bench_.blocks.add(p, r.bytes, r.alignment);
    live_bytes_ += r.bytes;
    bytes_since_reuse_ += r.bytes + r.alignment;
  }

  void allocate() {
    if (full()) return deallocate();
    const request r = pick();
    // Both bindings give blocks of the same kind.
    added(decide_.below(2) == 0 ? bench_.resource().allocate(r.bytes, r.alignment)
                                : bench_.resource().base().allocate(r.bytes, r.alignment),
          r);
  }

  void deallocate() {
    if (bench_.blocks.empty()) return;
    const live_block b = bench_.blocks.remove(decide_.below(bench_.blocks.size()));
    live_bytes_ -= b.bytes;
    if (decide_.below(2) == 0) {
      bench_.resource().deallocate(b.data, b.bytes, b.alignment);
    } else {
      bench_.resource().base().deallocate(b.data, b.bytes, b.alignment);
    }
  }

  void try_allocate() {
    if (full() || !bench_.what().has(can_try_allocate)) return;
    const request r = pick();
    void* const p = bench_.resource().try_allocate(r.bytes, r.alignment);
    require(p != nullptr, "try_allocate(", r.bytes, ", ", r.alignment, ") gave up");
    added(p, r);
  }

  void allocate_with_failing_upstream() {
    if (full()) return;
    const request r = pick();
    const std::size_t which = decide_.below(3);
    bench_.upstream.fail_at(which);
    void* p = nullptr;
    const bool refused =
        throws_bad_alloc([&] { p = bench_.resource().allocate(r.bytes, r.alignment); });
    require(!refused || bench_.upstream.failures() != 0, "bad_alloc without a cause");
    bench_.upstream.never_fail();
    if (!refused) added(p, r);
  }

  void resize() {
    if (bench_.blocks.empty() || !bench_.what().has(can_resize)) return;
    // Mostly the newest block, as only that one can grow.
    const std::size_t newest = bench_.blocks.size() - 1;
    const std::size_t index = decide_.below(4) == 0 ? decide_.below(newest + 1) : newest;
    const live_block b = bench_.blocks[index];
    const std::size_t bytes = decide_.below(2 * std::min<std::size_t>(b.bytes, 30000) + 2);
    if (bytes > b.bytes) {
      if (!bench_.resource().try_expand(b.data, b.bytes, bytes)) return;
    } else {
      bench_.resource().shrink(b.data, b.bytes, bytes);
    }
    bench_.blocks.resize(index, bytes);
    live_bytes_ += bytes - b.bytes;  // may wrap below and back
    bytes_since_reuse_ += bytes;
    // A mark between the block's start and its end would cut it.
    while (!marks_.empty() && marks_.back() > b.tag) {
      marks_.pop_back();
      bench_.resource().drop_last_mark();
    }
  }

  void push_mark() {
    if (!bench_.what().has(can_mark) || marks_.size() >= 8) return;
    bench_.resource().push_mark();
    marks_.push_back(bench_.blocks.next_tag());
  }

  void rewind_to_mark() {
    if (marks_.empty()) return;
    bench_.blocks.forget_since(marks_.back());
    marks_.pop_back();
    bench_.resource().rewind_to_last_mark();
    bench_.resource().drop_last_mark();
    recount();
  }

  void trim() {
    if (!bench_.what().has(can_trim)) return;
    bench_.resource().trim();
    bench_.blocks.verify();
  }

  void refuse_absurd_size() {
    const std::size_t bytes = ~std::size_t{0} - decide_.below(5000);
    const std::size_t alignment = std::size_t{1} << decide_.below(13);
    require(throws_bad_alloc([&] { (void)bench_.resource().allocate(bytes, alignment); }),
            "allocate(", bytes, ", ", alignment, ") did not throw");
  }

  void forget_everything(std::size_t how) {
    if (decide_.below(4) != 0) return;
    const resource_case& what = bench_.what();
    if (how == 0 && what.has(can_rewind)) {
      bench_.blocks.clear();
      bench_.resource().rewind();
    } else if (how == 1 && what.has(can_reset)) {
      bench_.blocks.clear();
      bench_.resource().reset(decide_.below(65536));
    } else if (what.has(can_release)) {
      bench_.blocks.clear();
      bench_.resource().release();
    }
    if (!bench_.blocks.empty()) return;
    marks_.clear();
    bytes_since_reuse_ = 0;
    recount();
    bench_.expect_upstream_respected();
  }

  void recount() {
    live_bytes_ = 0;
    for (std::size_t i = 0; i < bench_.blocks.size(); ++i) live_bytes_ += bench_.blocks[i].bytes;
  }

  workbench bench_;
  choices& decide_;
  std::vector<unsigned> marks_;  // next_tag() when the mark was made
  std::size_t live_bytes_ = 0;
  std::size_t bytes_since_reuse_ = 0;
};

}  // namespace

void run_random_program(const resource_case& what, choices& decisions) {
  program(what, decisions).run();
}

}  // namespace mallard_test
