#include "malloc/stepped_program.hpp"

#include <algorithm>
#include <array>

#include "malloc/engine.hpp"
#include "malloc/heap_list.hpp"
#include "malloc/stepped_threads.hpp"
#include "support/require.hpp"

namespace malloc_test {

namespace detail = mallard::detail;
using mallard_test::require;

void shared_blocks::fill(const block& b) {
  std::fill_n(b.p, b.bytes, b.mark);
}

void shared_blocks::expect_contents(const block& b, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    require(b.p[i] == b.mark, "a block of ", b.bytes, " bytes was written to by another");
  }
}

void shared_blocks::allocate(std::size_t count, std::size_t bytes) {
  for (; count != 0; --count) {
    auto* const p = static_cast<unsigned char*>(detail::allocate(bytes));
    require(p != nullptr && detail::usable_bytes(p) >= bytes, "no block of bytes: ", bytes);
    live_.push_back({p, bytes, next_mark_++});
    fill(live_.back());
  }
}

void shared_blocks::free_one(std::size_t which) {
  expect_contents(live_[which], live_[which].bytes);
  detail::deallocate(live_[which].p);
}

void shared_blocks::free_oldest(std::size_t count) {
  count = std::min(count, live_.size());
  for (std::size_t i = 0; i < count; ++i) free_one(i);
  live_.erase(live_.begin(), live_.begin() + static_cast<std::ptrdiff_t>(count));
}

void shared_blocks::free_some(std::size_t count, std::size_t from) {
  for (; count != 0 && !live_.empty(); --count) {
    const std::size_t which = from % live_.size();
    free_one(which);
    live_[which] = live_.back();
    live_.pop_back();
    from += 7;
  }
}

void shared_blocks::resize(std::size_t which, std::size_t bytes) {
  if (live_.empty()) return;
  block& b = live_[which % live_.size()];
  auto* const p = static_cast<unsigned char*>(detail::reallocate(b.p, bytes));
  require(p != nullptr, "not resized to bytes: ", bytes);
  b.p = p;
  expect_contents(b, std::min(b.bytes, bytes));
  b.bytes = bytes;
  fill(b);
}

void expect_nothing_lost() {
  detail::trim();
  for (const detail::malloc_heap* h = detail::the_heaps.first(); h != nullptr; h = h->next) {
    require(h->has_no_slabs(), "a heap holds a slab though no block is in use");
  }
}

void run_stepped_program(mallard_test::choices& decide) {
  // Small blocks go home when they are freed elsewhere, larger ones stay; the last two are no
  // slab's.
  constexpr std::array<std::size_t, 10> sizes = {1,     16,    48,     64,      112,
                                                 1'000, 5'000, 40'000, 300'000, 9'000'000};
  constexpr std::size_t most_live = 3'000;
  constexpr std::size_t count = 4;
  shared_blocks blocks;
  {
    stepped_threads threads(count);
    while (!decide.done()) {
      const std::size_t thread = decide.below(count);
      const std::size_t what = decide.below(12);
      const std::size_t much = decide.below(200) + 1;
      const std::size_t bytes = sizes[decide.below(sizes.size())];
      if (what == 11) {
        threads.end(thread);
        continue;
      }
      threads.run(thread, [&] {
        if (what == 10) {
          detail::trim();
        } else if (what == 9) {
          blocks.resize(much, bytes);
        } else if (what >= 7 || blocks.size() > most_live) {
          blocks.free_oldest(much);
        } else if (what >= 5) {
          blocks.free_some(much, decide.below(1'000));
        } else {
          blocks.allocate(bytes > 10'000 ? 1 : much, bytes);
        }
      });
    }
  }
  blocks.free_oldest(blocks.size());
  expect_nothing_lost();
}

}  // namespace malloc_test
