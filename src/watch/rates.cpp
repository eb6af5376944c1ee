#include "watch/rates.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace mallard::watch {
namespace {

double difference(std::uint64_t before, std::uint64_t now) {
  return now > before ? static_cast<double>(now - before) : 0;
}

std::vector<function_row> functions_of(const reading& before, const reading& now, double seconds,
                                       const site_names& names) {
  std::map<std::string, function_row> by_name;
  for (std::uint32_t i = 0; i < now.sites.size(); ++i) {
    const site_reading& one = now.sites[i];
    if (one.allocations == 0) continue;
    const site_reading old = i < before.sites.size() ? before.sites[i] : site_reading{};
    function_row& row = by_name[names.function_of(i, now.sites)];
    row.allocations += (one.allocations - old.allocations) / seconds;
    row.bytes += (one.bytes - old.bytes) / seconds;
    row.live_blocks += one.live_blocks;
    row.live_bytes += one.live_bytes;
  }
  std::vector<function_row> out;
  for (auto& [name, row] : by_name) {
    row.function = name;
    out.push_back(std::move(row));
  }
  std::sort(out.begin(), out.end(), [](const function_row& a, const function_row& b) {
    return std::tie(b.allocations, b.live_bytes, a.function) <
           std::tie(a.allocations, a.live_bytes, b.function);
  });
  return out;
}

std::vector<thread_row> threads_of(const reading& before, const reading& now, double seconds) {
  std::map<std::uint32_t, counts> earlier;
  for (const thread_reading& one : before.threads) earlier[one.tid] = one.of;
  std::vector<thread_row> out;
  for (const thread_reading& one : now.threads) {
    const counts& old = earlier[one.tid];
    out.push_back({one.tid, one.name, difference(old.allocations, one.of.allocations) / seconds,
                   difference(old.bytes, one.of.bytes) / seconds,
                   difference(old.frees, one.of.frees) / seconds});
  }
  std::sort(out.begin(), out.end(), [](const thread_row& a, const thread_row& b) {
    return std::tie(b.allocations, b.frees, a.tid) < std::tie(a.allocations, a.frees, b.tid);
  });
  return out;
}

}  // namespace

double live_bytes(const reading& now) {
  double sum = 0;
  for (const site_reading& one : now.sites) sum += one.live_bytes;
  return std::min(sum, static_cast<double>(now.all.bytes));
}

rates between(const reading& before, const reading& now, const site_names& names) {
  const bool is_first = before.seconds == 0;
  const double passed =
      is_first ? now.seconds : std::chrono::duration<double>(now.when - before.when).count();
  const double seconds = std::max(passed, 1e-6);
  rates out;
  out.allocations = difference(before.all.allocations, now.all.allocations) / seconds;
  out.bytes = difference(before.all.bytes, now.all.bytes) / seconds;
  out.frees = difference(before.all.frees, now.all.frees) / seconds;
  out.live_bytes = live_bytes(now);
  out.functions = functions_of(before, now, seconds, names);
  out.threads = threads_of(before, now, seconds);
  return out;
}

}  // namespace mallard::watch
