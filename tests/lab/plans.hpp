// Small plans of benches for tests.
#pragma once

#include <string>
#include <vector>

#include "lab/bench/run.hpp"

namespace mallard::lab {

using texts_of = std::map<std::string, std::string, std::less<>>;

inline const bench& bench_named(std::string_view name) {
  const bench* found = find_bench(name);
  if (!found) throw std::runtime_error("there is no bench " + std::string(name));
  return *found;
}

inline contender column_named(std::string strategy, std::string peer) {
  contender who;
  who.strategy = std::move(strategy);
  who.peer = std::move(peer);
  return who;
}

inline bench_plan plan_of(const bench& what, const texts_of& texts,
                          std::vector<contender> contenders) {
  bench_plan plan;
  plan.what = &what;
  bench_request asked;
  asked.texts = texts;
  if (!what.scaled.empty()) asked.scale = "1";
  plan.places = make_places(what, asked);
  plan.contenders = std::move(contenders);
  plan.repetitions = 2;
  plan.timeout_seconds = 20;
  return plan;
}

inline bench_plan plan_of(std::string_view name, const texts_of& texts,
                          std::vector<contender> contenders) {
  return plan_of(bench_named(name), texts, std::move(contenders));
}

inline std::vector<cell_result> measure_all(const bench_plan& plan,
                                            const std::vector<cell_result>& finished = {}) {
  std::vector<cell_result> cells;
  const auto end =
      run_bench(plan, finished,
                {.cell = [&](const cell_result& cell) { cells.push_back(cell); }, .step = {}});
  if (end != bench_end::finished) throw std::runtime_error("interrupted");
  return cells;
}

}  // namespace mallard::lab
