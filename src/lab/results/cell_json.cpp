#include "lab/results/cell_json.hpp"

#include <algorithm>
#include <limits>

namespace mallard::lab {
namespace {

// nlohmann-json wraps unsigned numbers that are too large for the requested type.
std::int64_t read_integer(const std::string& name, const json& value) {
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) {
    throw std::runtime_error(fmt::format("'{}' is too large", name));
  }
  return value.get<std::int64_t>();
}

coordinate read_coordinate(const std::string& name, const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return read_integer(name, value);
  throw std::runtime_error(fmt::format("'{}' is neither an integer nor a string", name));
}

const json& required_object(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) throw std::runtime_error(fmt::format("'{}' is missing", name));
  if (!found->is_object()) throw std::runtime_error(fmt::format("'{}' has the wrong type", name));
  return *found;
}

measure read_measure(const std::string& name, const json& object) {
  if (!object.is_object()) throw std::runtime_error(fmt::format("'{}' has the wrong type", name));
  measure read;
  read.unit = required<std::string>(object, "unit");
  read.samples = required<std::vector<double>>(object, "samples");
  read.median = required<double>(object, "median");
  read.ci_low = required<double>(object, "ci_low");
  read.ci_high = required<double>(object, "ci_high");
  if (read.samples.empty()) throw std::runtime_error(fmt::format("'{}' has no samples", name));
  const bool possible =
      std::all_of(read.samples.begin(), read.samples.end(), [](double one) { return one >= 0; }) &&
      read.ci_low >= 0 && read.ci_low <= read.median && read.median <= read.ci_high;
  if (!possible) {
    throw std::runtime_error(
        fmt::format("the figures of '{}' must be positive and in order", name));
  }
  return read;
}

}  // namespace

cell_result read_cell(const json& object) {
  cell_result cell;
  cell.bench = required<std::string>(object, "bench");
  for (const auto& [name, value] : required_object(object, "at").items()) {
    cell.at[name] = read_coordinate(name, value);
  }
  cell.strategy = required<std::string>(object, "strategy");
  cell.peer = required<std::string>(object, "peer");
  cell.heap = required<std::string>(object, "heap");
  cell.malloc = optional<std::string>(object, "malloc", std::string(system_malloc));
  cell.checksum = optional<std::string>(object, "checksum");
  if (!read_status(object, cell.error)) return cell;
  for (const auto& [name, value] : required_object(object, "measures").items()) {
    cell.measures.emplace(name, read_measure(name, value));
  }
  if (cell.measures.empty()) throw std::runtime_error("'measures' is empty");
  return cell;
}

place read_parameters(const json& object) {
  place parameters;
  if (!object.contains("parameters")) return parameters;
  for (const auto& [name, value] : required_object(object, "parameters").items()) {
    if (value.is_number_float()) {
      parameters[name] = value.get<double>();
    } else if (value.is_number_integer()) {
      parameters[name] = read_integer(name, value);
    } else if (value.is_string()) {
      parameters[name] = value.get<std::string>();
    } else {
      throw std::runtime_error(fmt::format("'{}' is neither a number nor a string", name));
    }
  }
  return parameters;
}

json to_json(const place& values) {
  json object = json::object();
  for (const auto& [name, value] : values) {
    std::visit([&, &key = name](const auto& one) { object[key] = one; }, value);
  }
  return object;
}

json to_json(const cell_result& cell) {
  json object = {
      {"kind", "cell"},         {"bench", cell.bench},
      {"at", to_json(cell.at)}, {"strategy", cell.strategy},
      {"peer", cell.peer},      {"heap", cell.heap},
      {"malloc", cell.malloc},  {"status", cell.ok() ? "ok" : "failed"},
  };
  if (!cell.ok()) {
    object["error"] = cell.error;
    return object;
  }
  json measures = json::object();
  for (const auto& [name, one] : cell.measures) {
    measures[name] = {{"unit", one.unit},
                      {"samples", one.samples},
                      {"median", one.median},
                      {"ci_low", one.ci_low},
                      {"ci_high", one.ci_high}};
  }
  if (!cell.checksum.empty()) object["checksum"] = cell.checksum;
  object["measures"] = measures;
  return object;
}

std::string to_line(const cell_result& cell) {
  return to_json(cell).dump();
}

}  // namespace mallard::lab
