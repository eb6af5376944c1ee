#include "lab/kernels/strategy_bench.hpp"

#include <algorithm>
#include <thread>

#include "lab/kernels/extended_work.hpp"

namespace mallard::lab {

rivals_of columns_with(const std::function<bool(const column&)>& has) {
  rivals_of rivals;
  rivals.kind = rivals::columns;
  for (const column& one : extended_columns()) {
    if (!has(one)) continue;
    contender listed;
    listed.strategy = one.strategy;
    listed.peer = one.peer;
    rivals.listed.push_back(std::move(listed));
  }
  return rivals;
}

double waves_of(std::int64_t threads) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  return std::max(1.0, static_cast<double>(threads) / cores);
}

}  // namespace mallard::lab
