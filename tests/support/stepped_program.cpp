#include "support/stepped_program.hpp"

#include <algorithm>
#include <string>

#include "support/require.hpp"
#include "support/stepped_threads.hpp"

namespace mallard_test {

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
    auto* const p = static_cast<unsigned char*>(of_.allocate(bytes));
    require(p != nullptr, "no block of bytes: ", bytes);
    live_.push_back({p, bytes, next_mark_++});
    fill(live_.back());
  }
}

void shared_blocks::free_one(std::size_t which) {
  const block& b = live_[which];
  expect_contents(b, b.bytes);
  of_.deallocate(b.p, b.bytes);
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
  auto* const p = static_cast<unsigned char*>(of_.resize(b.p, b.bytes, bytes));
  require(p != nullptr, "not resized to bytes: ", bytes);
  b.p = p;
  expect_contents(b, std::min(b.bytes, bytes));
  b.bytes = bytes;
  fill(b);
}

std::size_t run_in_every_order(stepped_subject& subject,
                               const std::vector<std::vector<step>>& program) {
  std::vector<std::size_t> order;
  for (std::size_t t = 0; t < program.size(); ++t) order.insert(order.end(), program[t].size(), t);
  std::size_t orders = 0;
  do {
    try {
      shared_blocks blocks(subject);
      {
        stepped_threads threads(program.size());
        std::vector<std::size_t> next(program.size(), 0);
        for (const std::size_t t : order) {
          threads.run(t, [&] { program[t][next[t]](blocks); });
          if (++next[t] == program[t].size()) threads.end(t);
        }
      }
      blocks.free_oldest(blocks.size());
      subject.expect_nothing_lost();
    } catch (const check_failure& e) {
      std::string names;
      for (const std::size_t t : order) names += std::to_string(t) + ' ';
      throw check_failure(std::string(e.what()) + ", in the order " + names);
    }
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));
  return orders;
}

void run_stepped_program(stepped_subject& subject, std::span<const std::size_t> sizes,
                         choices& decide) {
  constexpr std::size_t most_live = 3'000;
  constexpr std::size_t count = 4;
  shared_blocks blocks(subject);
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
          subject.trim();
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
  subject.expect_nothing_lost();
}

}  // namespace mallard_test
