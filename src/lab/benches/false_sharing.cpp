// The parallel counter of the slides, and small objects of several threads.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <thread>

#include "lab/kernels/strategy_bench.hpp"

namespace mallard::lab {
namespace {

// In the order of the enumeration; with dashes on the command line.
std::vector<std::string> forms() {
  return {"shared array", "local variable", "arena per thread", "objects of one allocator",
          "objects of own arenas"};
}

axis form_axis() {
  const auto with_dashes = [](std::string name) {
    std::replace(name.begin(), name.end(), ' ', '-');
    return name;
  };
  std::vector<std::string> typed;
  for (const std::string& one : forms()) typed.push_back(with_dashes(one));
  axis made = words("form", typed, "all", fmt::format("{}", fmt::join(typed, ", ")));
  made.read = [=](std::string_view option, std::string_view text) {
    std::vector<place> all;
    for (const std::string& name : parse_names(option, text, typed)) {
      const auto at = std::find(typed.begin(), typed.end(), name) - typed.begin();
      all.push_back({{"form", forms()[static_cast<std::size_t>(at)]}});
    }
    return all;
  };
  return made;
}

// Powers of two up to the number of processors, but at least 2.
std::string usual_threads() {
  std::string text = "1,2";
  for (unsigned count = 4; count <= std::thread::hardware_concurrency(); count *= 2) {
    text += fmt::format(",{}", count);
  }
  return text;
}

false_sharing_work work_at(const place& at) {
  false_sharing_work work;
  work.increments = power_of(at, "increments");
  work.threads = static_cast<unsigned>(at.number("threads"));
  work.seed = count_of(at, "seed");
  return work;
}

}  // namespace

bench make_false_sharing() {
  return {
      .name = "false-sharing",
      .summary = "The parallel counter of the slides, and small objects of many threads",
      .title = "False sharing",
      .contenders = strategies_of("AS1,AS3,AS7"),
      .axes = {form_axis(), threads(usual_threads()).said("1, 2, 4 ... up to the processors"),
               integers("increments", "25", "log2 of the work, shared out to the threads", 18, 40)
                   .quickly("23")
                   .parameter()},
      .kernel =
          [](const contender& who, const place& at) {
            return make_task(find_false_sharing_kernel(column_of(who),
                                                       choice_of<placement>(at, "form", forms())),
                             work_at(at));
          },
      .measures = {time_measure(), peak_measure()},
      .figures = {milliseconds()},
      .table = {.rows = {"form"}, .columns = across::along, .along = "threads"},
      .expected_seconds =
          [](const place& at) { return 8e-9 * static_cast<double>(work_at(at).increments); },
      .limits_memory = true,
      .page = {.section =
                   {.text = "The same number of increments in all, divided among the threads: with "
                            "as many cores, twice the threads should take half the time. "
                            "They do not if counters of different threads are on one cache line. "
                            "An arena for each thread keeps them apart.",
                    .order = 50},
               .cards = {{.view = page_view::kinds,
                          .along = "threads",
                          .along_title = "Threads",
                          .kinds = "form"}}},
  };
}

}  // namespace mallard::lab
