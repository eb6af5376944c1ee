// Purpose: real programs by themselves, under `mallard record` and under heaptrack, in turns, for
// record_run.sh.
//
//   mallard_record_programs REPETITIONS PROGRAMS MALLARD
//
// PROGRAMS has a line "name command" for each program; a command runs in a shell, and one that
// begins with a "+" has in UNDER what its main part is to be run by. Prints medians of wall-clock
// time and of the processor's time of all that takes part, what recording adds to each over what
// heaptrack adds, and the bytes of the trace for each event.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace {

enum way { alone, mallard, heaptrack, ways };

struct program {
  std::string name;
  std::string command;
};

struct reading {
  double wall = 0;
  double processor = 0;
  double bytes_per_event = 0;
};

double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

double processor_of_children() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// Bytes of all files by the events of all, from "FILE: N events of M threads, B KiB".
double bytes_per_event(const std::string& log) {
  static const std::regex line(
      "mallard: .*: ([0-9]+) events of [0-9]+ threads?, ([0-9.]+) ([KMG]?)i?B");
  std::ifstream in(log);
  double events = 0;
  double bytes = 0;
  for (std::string text; std::getline(in, text);) {
    std::smatch parts;
    if (!std::regex_search(text, parts, line)) continue;
    events += std::stod(parts[1]);
    const double unit = parts[3] == "G"   ? 1U << 30
                        : parts[3] == "M" ? 1U << 20
                        : parts[3] == "K" ? 1U << 10
                                          : 1;
    bytes += std::stod(parts[2]) * unit;
  }
  return events == 0 ? 0 : bytes / events;
}

bool run(const program& what, way how, const std::string& tool, reading& out) {
  const std::string under = how == alone     ? ""
                            : how == mallard ? tool + " record --force -o bench.trace -- "
                                             : "heaptrack -o bench.heaptrack ";
  const std::string command = what.command.front() == '+'
                                  ? "UNDER='" + under + "' " + what.command.substr(1)
                                  : under + what.command;
  const double before = processor_of_children();
  const auto begin = std::chrono::steady_clock::now();
  const std::string line = "(" + command + ") >/dev/null 2>bench.log";
  if (std::system(line.c_str()) != 0) return false;
  out.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  out.processor = processor_of_children() - before;
  if (how == mallard) out.bytes_per_event = bytes_per_event("bench.log");
  return true;
}

double median(const std::vector<reading>& of, double reading::* what) {
  if (of.empty()) return 0;
  std::vector<double> values;
  for (const reading& one : of) values.push_back(one.*what);
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s REPETITIONS PROGRAMS MALLARD\n", argv[0]);
    return 2;
  }
  const int repetitions = std::atoi(argv[1]);
  std::ifstream list(argv[2]);
  std::vector<program> programs;
  for (std::string name, command; list >> name && std::getline(list >> std::ws, command);) {
    programs.push_back({name, command});
  }
  std::printf("%-10s %32s %32s %8s %8s %8s\n", "", "wall-clock, s", "processor, s", "added:", "",
              "bytes");
  std::printf("%-10s %10s %10s %10s %10s %10s %10s %8s %8s %8s\n", "", "alone", "mallard",
              "heaptrack", "alone", "mallard", "heaptrack", "wall", "proc.", "/event");
  bool all_fine = true;
  for (const program& what : programs) {
    std::vector<reading> of[ways];
    bool failed = false;
    for (int r = 0; r < repetitions; ++r) {
      for (int i = 0; i < ways; ++i) {
        const way how = static_cast<way>((i + r) % ways);
        reading one;
        if (run(what, how, argv[3], one)) {
          of[how].push_back(one);
        } else {
          failed = true;
        }
      }
    }
    std::printf("%-10s", what.name.c_str());
    if (failed) {
      std::printf(" FAILED\n");
      all_fine = false;
      continue;
    }
    for (double reading::* const kind : {&reading::wall, &reading::processor}) {
      for (const auto& one : of) std::printf(" %10.3f", median(one, kind));
    }
    // Recording may add a third of what heaptrack adds: that is the goal.
    for (double reading::* const kind : {&reading::wall, &reading::processor}) {
      const double base = median(of[alone], kind);
      std::printf(" %8.2f",
                  (median(of[mallard], kind) - base) / (median(of[heaptrack], kind) - base));
    }
    std::printf(" %8.2f\n", median(of[mallard], &reading::bytes_per_event));
    std::fflush(stdout);
  }
  return all_fine ? 0 : 1;
}
