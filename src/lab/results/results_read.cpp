#include "lab/results/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>

#include "lab/measuring/strategies.hpp"
#include "lab/measuring/structures.hpp"
#include "lab/results/cell_json.hpp"
#include "lab/results/json_members.hpp"
#include "process/input_file.hpp"

namespace mallard::lab {
namespace {

machine_info read_machine(const json& object) {
  machine_info machine;
  machine.cpu = required<std::string>(object, "cpu");
  machine.cores = required<unsigned>(object, "cores");
  machine.memory_bytes = required<std::uint64_t>(object, "memory_bytes");
  machine.kernel = required<std::string>(object, "kernel");
  machine.page_bytes = required<std::uint64_t>(object, "page_bytes");
  machine.transparent_hugepages = required<std::string>(object, "transparent_hugepages");
  machine.l1d_bytes = optional<std::uint64_t>(object, "l1d_bytes");
  machine.l2_bytes = optional<std::uint64_t>(object, "l2_bytes");
  machine.l3_bytes = optional<std::uint64_t>(object, "l3_bytes");
  return machine;
}

build_info read_build(const json& object) {
  build_info build;
  build.compiler = required<std::string>(object, "compiler");
  build.flags = required<std::string>(object, "flags");
  build.build_type = required<std::string>(object, "build_type");
  build.assertions = required<bool>(object, "assertions");
  return build;
}

run_info read_run(const json& object) {
  run_info run;
  run.schema = required<int>(object, "schema");
  if (run.schema != result_schema) {
    throw std::runtime_error(
        fmt::format("schema {} is not known (this mallard reads {})", run.schema, result_schema));
  }
  run.version = required<std::string>(object, "version");
  run.bench = required<std::string>(object, "bench");
  run.command = required<std::string>(object, "command");
  run.date = required<std::string>(object, "date");
  run.machine = read_machine(required<json>(object, "machine"));
  run.build = read_build(required<json>(object, "build"));
  run.mode = required<std::string>(object, "mode");
  run.repetitions = required<unsigned>(object, "repetitions");
  run.seed = required<std::uint64_t>(object, "seed");
  run.heaps = required<std::vector<std::string>>(object, "heaps");
  for (const auto& peer : required<json>(object, "peers")) {
    run.peers.push_back(
        {required<std::string>(peer, "name"), required<std::string>(peer, "version")});
  }
  for (const auto& peer : required<json>(object, "skipped")) {
    run.skipped.push_back(
        {required<std::string>(peer, "peer"), required<std::string>(peer, "reason")});
  }
  run.parameters = read_parameters(object);
  run.malloc = optional<std::string>(object, "malloc", "glibc");
  const json benches = optional<json>(object, "benches", json::object());
  if (!benches.is_object()) throw std::runtime_error("'benches' has the wrong type");
  for (const auto& [name, words] : benches.items()) run.benches[name] = read_words(words);
  return run;
}

// Returns: nothing if the text is not JSON. Throws for JSON that is not an object.
std::optional<json> parse_object(const std::string& text) {
  json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (object.is_discarded()) return std::nullopt;
  if (!object.is_object()) throw std::runtime_error("a JSON object is expected");
  return object;
}

// Keeps the last of several cells with one key, at the place of the first.
class latest {
 public:
  void add(std::vector<cell_result>& all, cell_result cell) {
    const auto [position, fresh] = index_.try_emplace(cell.key(), all.size());
    if (fresh) {
      all.push_back(std::move(cell));
    } else {
      all[position->second] = std::move(cell);
    }
  }

 private:
  std::map<cell_key, std::size_t> index_;
};

// Collects the lines of one file.
class reader {
 public:
  explicit reader(std::filesystem::path path) { file_.path = std::move(path); }

  // `cut_off`: the line has no newline, so the writer may have been killed in the middle of it.
  void line(const std::string& text, bool cut_off) {
    ++number_;
    if (text.empty()) return;
    try {
      const auto object = parse_object(text);
      if (object) {
        take(*object);
      } else if (cut_off && seen_run_) {
        file_.warnings.push_back(fmt::format("{}:{}: the last line is cut off and was left out",
                                             file_.path.string(), number_));
      } else if (!seen_run_) {
        throw std::runtime_error("not valid JSON, as result files of mallard bench are");
      } else {
        throw std::runtime_error("not valid JSON");
      }
    } catch (const std::runtime_error& problem) {
      const std::string told =
          fmt::format("{}:{}: {}", file_.path.string(), number_, problem.what());
      if (!seen_run_) throw not_a_result_file(told);
      throw std::runtime_error(told);
    }
  }

  result_file finish() {
    if (!seen_run_) {
      throw not_a_result_file(
          fmt::format("{}:1: no 'run' line: not a result file", file_.path.string()));
    }
    tell_directions();
    return std::move(file_);
  }

 private:
  void tell_directions() {
    for (cell_result& cell : file_.cells) {
      const auto words = file_.run.benches.find(cell.bench);
      if (words == file_.run.benches.end()) continue;
      for (auto& [name, one] : cell.measures) {
        if (const measure_kind* kind = find_measure(words->second.measures, name))
          one.which = kind->which;
      }
    }
  }

  void take(const json& object) {
    const auto kind = required<std::string>(object, "kind");
    if (kind == "run") {
      if (seen_run_) throw std::runtime_error("a second 'run' line");
      file_.run = read_run(object);
      seen_run_ = true;
    } else if (!seen_run_) {
      throw std::runtime_error("the first line must be of kind 'run'");
    } else if (kind == "cell") {
      cells_.add(file_.cells, read_cell(object));
    } else {
      throw std::runtime_error(fmt::format("unknown kind '{}'", kind));
    }
  }

  result_file file_;
  latest cells_;
  bool seen_run_ = false;
  std::size_t number_ = 0;
};

}  // namespace

result_file load_results(const std::filesystem::path& path) {
  std::ifstream in = process::open_input(path.string(), "a result file");
  reader lines(path);
  for (std::string text; std::getline(in, text);) lines.line(text, in.eof());
  return lines.finish();
}

}  // namespace mallard::lab
