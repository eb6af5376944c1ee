#include "profile/views/activity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace mallard::profile {

activity_builder::activity_builder(std::uint64_t duration) : stretch_(duration / stretches + 1) {}

thread_activity activity_builder::finish(const std::map<std::uint32_t, std::string>& names) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> busiest;
  for (const auto& [thread, one] : rows_) {
    busiest.emplace_back(
        std::accumulate(one.operations.begin(), one.operations.end(), std::uint64_t{0}), thread);
  }
  std::sort(busiest.begin(), busiest.end(), [](const auto& a, const auto& b) {
    return std::pair(b.first, a.second) < std::pair(a.first, b.second);
  });
  thread_activity made;
  for (std::size_t i = 0; i < stretches; ++i) made.times.push_back(stretch_ * i);
  for (std::size_t i = 0; i < busiest.size(); ++i) {
    const row& one = rows_[busiest[i].second];
    if (i >= most_threads) {
      for (std::size_t t = 0; t < stretches; ++t) {
        made.operations.back()[t] += one.operations[t];
        made.remote.back()[t] += one.remote[t];
      }
      continue;
    }
    const auto name = names.find(busiest[i].second);
    made.threads.push_back(name != names.end() && !name->second.empty()
                               ? name->second
                               : fmt::format("thread {}", busiest[i].second));
    made.operations.emplace_back(one.operations.begin(), one.operations.end());
    made.remote.emplace_back(one.remote.begin(), one.remote.end());
  }
  if (busiest.size() > most_threads) {
    made.threads.back() = fmt::format("{} others", busiest.size() - most_threads + 1);
  }
  return made;
}

}  // namespace mallard::profile
