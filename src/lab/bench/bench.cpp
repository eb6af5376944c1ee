#include "lab/bench/bench.hpp"

namespace mallard::lab {

words_of_benches words_of(const bench& one) {
  const bench_words words{one.title, one.summary, one.main, one.measures};
  words_of_benches all{{one.name, words}};
  if (!one.parts.series.empty()) {
    const std::string subject = one.title.substr(0, one.title.find(':'));
    all[one.parts.series] = {subject + " over time", one.summary, one.parts.series_main,
                             one.measures};
  }
  return all;
}

const bench* find_bench(std::string_view name) {
  for (const bench& one : all_benches()) {
    if (one.name == name || (!one.parts.series.empty() && one.parts.series == name)) return &one;
  }
  return nullptr;
}

}  // namespace mallard::lab
