#include "route/preload/turns.hpp"

#include <time.h>

#include <algorithm>

namespace mallard::route {
namespace {

std::uint64_t thread_nanoseconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

// Splitmix64's numbers.
void turns::toss() noexcept {
  random_ += 0x9e37'79b9'7f4a'7c15;
  std::uint64_t mixed = (random_ ^ random_ >> 30) * 0xbf58'476d'1ce4'e5b9;
  mixed = (mixed ^ mixed >> 27) * 0x94d0'49bb'1331'11eb;
  now_ = static_cast<server>(mixed >> 63);
}

void turns::change_thread() noexcept {
  if (has_begun_) began_ = thread_nanoseconds() - began_;
}

bool turns::has_ended(std::uint64_t blocks, std::array<turn_sums, turn_groups>& sums) noexcept {
  constexpr std::uint64_t wanted_nanoseconds = 1'000'000;
  served_ += blocks;
  if (served_ < length_) return false;
  const std::uint64_t now = thread_nanoseconds();
  const server before = now_;
  if (!has_begun_) {
    has_begun_ = true;
    random_ = now;
    toss();
  } else {
    turn_sums& own = sums[group_];
    const auto which = static_cast<std::size_t>(now_);
    own.nanoseconds[which].fetch_add(now - began_, std::memory_order_relaxed);
    own.blocks[which].fetch_add(served_, std::memory_order_relaxed);
    pair_took_ += now - began_;
    pair_blocks_ += served_;
    if (is_second_) {
      const double took = std::max(1.0, static_cast<double>(pair_took_) / 2);
      const double factor = std::clamp(wanted_nanoseconds / took, 0.5, 2.0);
      length_ = std::max<std::uint64_t>(
          1, static_cast<std::uint64_t>(factor * static_cast<double>(pair_blocks_) / 2));
      pair_took_ = pair_blocks_ = 0;
      group_ = (group_ + 1) % turn_groups;
      toss();
    } else {
      now_ = now_ == server::resource ? server::malloc : server::resource;
    }
    is_second_ = !is_second_;
  }
  served_ = 0;
  began_ = now;
  return now_ != before;
}

}  // namespace mallard::route
