#include "profile/number_counts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace mallard::profile {
namespace {

std::uint64_t rounded(std::uint64_t value) {
  const int drop = std::max(0, static_cast<int>(std::bit_width(value)) - 8);
  return value >> drop << drop;
}

}  // namespace

void number_counts::add_other(std::uint64_t value, std::uint64_t times) {
  max_ = std::max(max_, value);
  put(coarse_ ? rounded(value) : value, times);
}

void number_counts::put(std::uint64_t value, std::uint64_t times) {
  if (slots_.empty()) slots_.resize(4);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = (value * 0x9e3779b97f4a7c15u) >> 32 & mask;
  while (slots_[at].second != 0 && slots_[at].first != value) at = (at + 1) & mask;
  if (slots_[at].second == 0) ++used_;
  slots_[at].first = value;
  slots_[at].second += times;
  latest_ = at;
  if (used_ * 2 <= slots_.size()) return;
  if (used_ > most) coarse_ = true;
  resize(coarse_ && used_ > most ? slots_.size() : slots_.size() * 2);
}

void number_counts::resize(std::size_t slots) {
  std::vector<slot> old(slots);
  old.swap(slots_);
  used_ = 0;
  const std::size_t mask = slots_.size() - 1;
  for (auto [value, times] : old) {
    if (times == 0) continue;
    if (coarse_) value = rounded(value);
    std::size_t at = (value * 0x9e3779b97f4a7c15u) >> 32 & mask;
    while (slots_[at].second != 0 && slots_[at].first != value) at = (at + 1) & mask;
    if (slots_[at].second == 0) ++used_;
    slots_[at] = {value, slots_[at].second + times};
  }
  if (used_ * 2 > slots_.size()) resize(slots_.size() * 2);
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> number_counts::sorted() const {
  std::vector<slot> out;
  for (const slot& one : slots_) {
    if (one.second != 0) out.push_back(one);
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::uint64_t number_counts::quantile(double share) const {
  const double wanted = std::ceil(share * static_cast<double>(count_));
  std::uint64_t seen = 0;
  for (const auto& [value, times] : sorted()) {
    seen += times;
    if (static_cast<double>(seen) >= wanted) return value;
  }
  return max_;
}

double number_counts::mean_without(double share) const {
  const auto wanted = static_cast<std::uint64_t>((1 - share) * static_cast<double>(count_));
  std::uint64_t left = std::max<std::uint64_t>(1, wanted);
  double sum = 0;
  double seen = 0;
  for (const auto& [value, times] : sorted()) {
    const std::uint64_t some = std::min(times, left);
    sum += static_cast<double>(value) * static_cast<double>(some);
    seen += static_cast<double>(some);
    left -= some;
  }
  return seen == 0 ? 0 : sum / seen;
}

}  // namespace mallard::profile
