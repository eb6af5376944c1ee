#include "lab/mallocs/malloc_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "lab/measuring/usage_error.hpp"

namespace mallard::lab::mallocs {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void bad_histogram(const std::string& file, std::size_t line, const char* why) {
  throw usage_error(fmt::format("--distribution: {}:{}: {}", file, line, why));
}

// Lines of a size and its weight; lines that begin with # are comments.
size_mix read_histogram(const std::string& file) {
  std::ifstream in(file);
  if (!in || fs::is_directory(file)) {
    throw usage_error(fmt::format(
        "--distribution: '{}' is neither fisher, uniform, fixed nor a file that can be read",
        file));
  }
  std::vector<size_share> shares;
  double sum = 0;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == line.npos || line[0] == '#') continue;
    std::istringstream words(line);
    std::int64_t bytes = 0;
    double weight = 0;
    std::string more;
    if (!(words >> bytes >> weight) || words >> more) {
      bad_histogram(file, number, "a size and a weight are expected");
    }
    if (bytes < 1 || bytes > size_mix::largest) {
      bad_histogram(file, number, "the size must be from 1 to 2^30");
    }
    if (!(weight >= 0) || !std::isfinite(weight)) {
      bad_histogram(file, number, "the weight must not be negative");
    }
    if (shares.size() == size_mix::most_sizes) {
      bad_histogram(file, number, "there are more than 512 sizes");
    }
    shares.push_back({static_cast<std::uint32_t>(bytes), weight});
    sum += weight;
  }
  if (!(sum > 0) || !std::isfinite(sum)) {
    bad_histogram(file, number, "there is no size with a weight");
  }
  return size_mix::histogram(shares);
}

}  // namespace

axis thread_counts(std::string quick) {
  return threads("1,2,4,8,16,32,48").quickly(std::move(quick));
}

axis smallest_size(std::string name, std::string usual) {
  return integers(std::move(name), std::move(usual), "Smallest size", 1, size_mix::largest);
}

axis largest_size(std::string name, std::string usual) {
  return integers(std::move(name), std::move(usual), "Largest size", 1, size_mix::largest);
}

std::vector<axis> size_axes() {
  axis distribution =
      words("distribution", {}, "fisher",
            "Distribution of sizes: fisher, uniform, fixed (all --min), or a file with "
            "lines of a size and its weight");
  // A file's name may contain commas.
  distribution.read = [](std::string_view, std::string_view text) {
    return std::vector<place>{{{"distribution", std::string(text)}}};
  };
  return {distribution.parameter(), smallest_size("min", "50").parameter(),
          largest_size("max", "500").parameter(),
          integers("step", "50", "From one size to the next", 1, size_mix::largest).parameter()};
}

size_mix sizes_at(const place& at) {
  const std::string& name = at.word("distribution");
  if (name != "fisher" && name != "uniform" && name != "fixed") return read_histogram(name);
  const std::uint32_t low = bytes_at(at, "min");
  if (name == "fixed") return size_mix::fixed(low);
  const std::uint32_t high = bytes_at(at, "max");
  const std::uint32_t step = bytes_at(at, "step");
  if (high < low) throw usage_error(fmt::format("--max: {} is less than --min {}", high, low));
  if ((high - low) / step >= size_mix::most_sizes) {
    throw usage_error(
        fmt::format("--step: {} makes more than {} sizes", step, size_mix::most_sizes));
  }
  return name == "fisher" ? size_mix::fisher(low, high, step) : size_mix::uniform(low, high, step);
}

size_mix range_between(const place& at, const char* low, const char* high, bool log_uniform) {
  const std::uint32_t least = bytes_at(at, low);
  const std::uint32_t most = bytes_at(at, high);
  if (most < least) throw usage_error(fmt::format("--{} is less than --{}", high, low));
  return log_uniform ? size_mix::log_uniform(least, most) : size_mix::range(least, most);
}

std::uint32_t bytes_at(const place& at, const char* name) {
  return static_cast<std::uint32_t>(at.number(name));
}

std::uint64_t count_at(const place& at, const char* name) {
  return static_cast<std::uint64_t>(at.number(name));
}

unsigned threads_at(const place& at, const char* name) {
  return static_cast<unsigned>(at.number(name));
}

double spread(unsigned threads, double seconds_of_one) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  return seconds_of_one * std::max(1.0, static_cast<double>(threads) / cores);
}

measure_kind time_kind() {
  return {"time", "s", "Time"};
}

measure_kind resident_kind() {
  return {"rss", "B", "Peak memory"};
}

figure_kind resident_figure() {
  return {"peak resident set, MiB", "rss", 1.0 / (1 << 20)};
}

table_kind by_threads() {
  table_kind table;
  table.columns = across::along;
  table.along = "threads";
  return table;
}

}  // namespace mallard::lab::mallocs
