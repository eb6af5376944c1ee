// Purpose: times real programs over several mallocs, in turns.
//
//   mallard_malloc_programs REPETITIONS PROGRAMS NAME=LIBRARY...
// PROGRAMS has a line "name command" for each program; a command runs in a shell with LD_PRELOAD
// set, or PRELOAD if it begins with a "+". A library "-" is the system's malloc. Prints medians of
// user and system time and of the peak resident set, and the geometric means over the programs.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "measured.hpp"

namespace {

struct program {
  std::string name;
  std::string command;
};

struct library {
  std::string name;
  std::string path;
};

struct reading {
  double seconds = 0;  // user and system
  double peak_mebibytes = 0;
};

double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

// False when the program fails.
bool run(const program& what, const library& with, reading& out) {
  const pid_t child = fork();
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stdout) == nullptr) _exit(126);
    const bool by_itself = what.command.front() == '+';
    if (with.path != "-") setenv(by_itself ? "PRELOAD" : "LD_PRELOAD", with.path.c_str(), 1);
    // The shell is replaced by the program: only that is measured.
    const std::string command = by_itself ? what.command.substr(1) : "exec " + what.command;
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  rusage used{};
  if (child < 0 || wait4(child, &status, 0, &used) != child || status != 0) return false;
  out = {seconds(used.ru_utime) + seconds(used.ru_stime),
         static_cast<double>(used.ru_maxrss) / 1024};
  return true;
}

struct cell {
  std::vector<double> times;
  std::vector<double> peaks;
};

// Each program's median divided by the best malloc's.
void print_table(const char* title, const std::vector<program>& programs,
                 const std::vector<library>& libraries, const std::vector<std::vector<cell>>& cells,
                 std::vector<double> cell::* what, const char* format) {
  std::printf("\n%-18s", title);
  for (const library& l : libraries) std::printf(" %18s", l.name.c_str());
  std::printf("\n");
  std::vector<double> log_sums(libraries.size());
  std::size_t complete = 0;
  for (std::size_t p = 0; p < programs.size(); ++p) {
    std::vector<double> medians;
    for (const cell& c : cells[p]) medians.push_back(mallard::bench::median(c.*what));
    const double best = *std::min_element(medians.begin(), medians.end());
    std::printf("%-18s", programs[p].name.c_str());
    for (std::size_t l = 0; l < libraries.size(); ++l) {
      if (medians[l] == 0) {
        std::printf(" %18s", "FAILED");
        continue;
      }
      std::printf(format, medians[l], best == 0 ? 0 : medians[l] / best);
    }
    std::printf("\n");
    if (best == 0) continue;
    ++complete;
    for (std::size_t l = 0; l < libraries.size(); ++l) log_sums[l] += std::log(medians[l] / best);
  }
  std::printf("%-18s", "geometric mean");
  for (const double sum : log_sums) {
    std::printf(" %18.3f", complete == 0 ? 0 : std::exp(sum / static_cast<double>(complete)));
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s REPETITIONS PROGRAMS NAME=LIBRARY...\n", argv[0]);
    return 2;
  }
  const int repetitions = std::atoi(argv[1]);
  std::ifstream list(argv[2]);
  std::vector<program> programs;
  for (std::string name, command; list >> name && std::getline(list >> std::ws, command);) {
    programs.push_back({name, command});
  }
  if (repetitions < 1 || programs.empty()) {
    std::fprintf(stderr, "%s: nothing to run\n", argv[0]);
    return 2;
  }
  std::vector<library> libraries;
  for (int i = 3; i < argc; ++i) {
    const std::string text = argv[i];
    libraries.push_back({text.substr(0, text.find('=')), text.substr(text.find('=') + 1)});
  }
  std::vector cells(programs.size(), std::vector<cell>(libraries.size()));
  for (int r = 0; r < repetitions; ++r) {
    for (std::size_t p = 0; p < programs.size(); ++p) {
      for (std::size_t i = 0; i < libraries.size(); ++i) {
        const std::size_t l = (i + static_cast<std::size_t>(r)) % libraries.size();
        reading out;
        if (!run(programs[p], libraries[l], out)) continue;
        cells[p][l].times.push_back(out.seconds);
        cells[p][l].peaks.push_back(out.peak_mebibytes);
      }
    }
    std::fprintf(stderr, "%d of %d\n", r + 1, repetitions);
  }
  print_table("user+system, s", programs, libraries, cells, &cell::times, " %9.3f (%5.3fx)");
  print_table("peak RSS, MiB", programs, libraries, cells, &cell::peaks, " %9.1f (%5.3fx)");
}
