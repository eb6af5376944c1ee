#include "cli/malloc_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "cli/lists.hpp"
#include "cli/usage_error.hpp"

namespace mallard::cli {
namespace {

namespace fs = std::filesystem;

// "name=path.so"
lab::allocator_library parse_allocator(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == text.npos || equals == 0 || equals + 1 == text.size()) {
    throw usage_error(fmt::format("--allocator: '{}' is not NAME=FILE", text));
  }
  const fs::path file = text.substr(equals + 1);
  if (!fs::is_regular_file(file)) {
    throw usage_error(fmt::format("--allocator: there is no file {}", file.string()));
  }
  return {text.substr(0, equals), fs::canonical(file)};
}

// Those that are installed, and those given by their files, which come first in a choice.
lab::allocator_list all_allocators(const malloc_options& options, const fs::path& program) {
  lab::allocator_list all = lab::find_allocators(program);
  for (const std::string& text : options.more_allocators) {
    const lab::allocator_library more = parse_allocator(text);
    std::erase_if(all.missing, [&](const auto& one) { return one.peer == more.name; });
    const auto same = std::find_if(all.found.begin(), all.found.end(),
                                   [&](const auto& one) { return one.name == more.name; });
    if (same == all.found.end()) {
      all.found.push_back(more);
    } else {
      *same = more;
    }
  }
  return all;
}

// Those that were asked for by name; else all of them.
void choose(lab::allocator_list& all, const std::string& names) {
  std::vector<lab::allocator_library> chosen;
  for (const std::string& name : split_list(names)) {
    const auto missing = std::find_if(all.missing.begin(), all.missing.end(),
                                      [&](const auto& one) { return one.peer == name; });
    if (missing != all.missing.end()) {
      throw usage_error(
          fmt::format("--allocators: '{}' is not available: {}", name, missing->reason));
    }
    const auto found = std::find_if(all.found.begin(), all.found.end(),
                                    [&](const auto& one) { return one.name == name; });
    if (found == all.found.end()) {
      std::vector<std::string> known;
      for (const auto& one : all.found) known.push_back(one.name);
      throw usage_error(fmt::format("--allocators: unknown value '{}' (known: {})", name,
                                    fmt::join(known, ", ")));
    }
    const bool again = std::any_of(chosen.begin(), chosen.end(),
                                   [&](const auto& one) { return one.name == name; });
    if (!again) chosen.push_back(*found);
  }
  all.found = chosen;
  all.missing.clear();
}

[[noreturn]] void bad_histogram(const std::string& file, std::size_t line, const char* why) {
  throw usage_error(fmt::format("--distribution: {}:{}: {}", file, line, why));
}

// Lines of a size and its weight; lines that start with # are comments.
lab::size_mix read_histogram(const std::string& file) {
  std::ifstream in(file);
  if (!in || fs::is_directory(file)) {
    throw usage_error(fmt::format(
        "--distribution: '{}' is neither fisher, uniform, fixed nor a file that can be read",
        file));
  }
  std::vector<lab::size_share> shares;
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
    if (bytes < 1 || bytes > lab::size_mix::largest) {
      bad_histogram(file, number, "the size must be from 1 to 2^30");
    }
    if (!(weight >= 0) || !std::isfinite(weight)) {
      bad_histogram(file, number, "the weight must not be negative");
    }
    if (shares.size() == lab::size_mix::most_sizes) {
      bad_histogram(file, number, "there are more than 512 sizes");
    }
    shares.push_back({static_cast<std::uint32_t>(bytes), weight});
    sum += weight;
  }
  if (!(sum > 0) || !std::isfinite(sum))
    bad_histogram(file, number, "there is no size with a weight");
  return lab::size_mix::histogram(shares);
}

}  // namespace

void add_malloc_options(CLI::App& bench, malloc_options& options, const std::string& scaled) {
  bench.add_option("--allocators", options.allocators,
                   "Like glibc,mallard,jemalloc (default: all that are found)");
  bench.add_option("--allocator", options.more_allocators,
                   "Another one, NAME=FILE.so; may be given several times");
  if (!scaled.empty()) {
    bench.add_option("--scale", options.scale,
                     fmt::format("Fraction of the {}, like 1/100 (default: 1)", scaled));
  }
  add_measuring_options(bench, options,
                        {.repetitions = usual_malloc_run.repetitions,
                         .seed = "Of the sizes, the order and the intervals",
                         .json = "Result file (default: results/BENCH-DATE.jsonl)",
                         .memory_limit = nullptr,
                         .quick = "Smaller defaults: done in some 20 seconds"});
}

void add_threads_option(CLI::App& bench, malloc_options& options) {
  bench.add_option("--threads", options.threads,
                   fmt::format("How many, like 1-8 (default: {})", usual_malloc_run.threads));
}

malloc_request make_malloc_request(const malloc_options& options, const malloc_defaults& quick) {
  const malloc_defaults& defaults = options.quick ? quick : usual_malloc_run;
  malloc_request request;
  request.under.program = lab::own_program();
  lab::allocator_list all = all_allocators(options, request.under.program);
  if (options.allocators) choose(all, *options.allocators);
  request.under.allocators = all.found;
  request.missing = all.missing;
  request.under.repetitions = options.repetitions.value_or(defaults.repetitions);
  request.under.seed = options.seed;
  request.under.timeout_seconds = options.timeout;
  const std::string threads = options.threads.value_or(defaults.threads);
  request.threads = parse_integers<unsigned>("--threads", threads, 1, 256);
  request.scale = options.scale ? parse_scale(*options.scale) : defaults.scale;
  request.parameters["threads"] = threads;
  request.parameters["scale"] = request.scale;
  return request;
}

std::uint64_t scaled(std::uint64_t count, double scale) {
  return std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::llround(static_cast<double>(count) * scale)));
}

void add_mix_options(CLI::App& bench, mix_options& options) {
  const auto bytes = CLI::Range(1U, lab::size_mix::largest).description("");
  bench.add_option("--distribution", options.distribution,
                   "Of the sizes: fisher, uniform, fixed (all --min), or a file with lines of a "
                   "size and its weight (default: fisher)");
  bench.add_option("--min", options.low, "Smallest size (default: 50)")->check(bytes);
  bench.add_option("--max", options.high, "Largest size (default: 500)")->check(bytes);
  bench.add_option("--step", options.step, "From one size to the next (default: 50)")->check(bytes);
}

lab::size_mix make_mix(const mix_options& options, lab::run_parameters& parameters) {
  const std::string& name = options.distribution;
  parameters["distribution"] = name;
  if (name != "fisher" && name != "uniform" && name != "fixed") return read_histogram(name);
  parameters["min"] = std::int64_t{options.low};
  if (name == "fixed") return lab::size_mix::fixed(options.low);
  if (options.high < options.low) {
    throw usage_error(fmt::format("--max: {} is less than --min {}", options.high, options.low));
  }
  if ((options.high - options.low) / options.step >= lab::size_mix::most_sizes) {
    throw usage_error(fmt::format("--step: {} makes more than {} sizes", options.step,
                                  lab::size_mix::most_sizes));
  }
  parameters["max"] = std::int64_t{options.high};
  parameters["step"] = std::int64_t{options.step};
  return name == "fisher" ? lab::size_mix::fisher(options.low, options.high, options.step)
                          : lab::size_mix::uniform(options.low, options.high, options.step);
}

}  // namespace mallard::cli
