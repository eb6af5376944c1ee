#include "lab/results/words.hpp"

#include "lab/results/cell_json.hpp"

namespace mallard::lab {
namespace {

better read_direction(const json& object) {
  const auto direction = optional<std::string>(object, "better", "less");
  if (direction == "more") return better::more;
  if (direction == "less") return better::less;
  throw std::runtime_error(fmt::format("'better' is neither more nor less: '{}'", direction));
}

}  // namespace

const measure_kind* find_measure(std::span<const measure_kind> measures, std::string_view name) {
  const auto found = std::find_if(measures.begin(), measures.end(),
                                  [&](const measure_kind& one) { return one.name == name; });
  return found == measures.end() ? nullptr : &*found;
}

json to_json(const bench_words& words) {
  json measures = json::object();
  for (const measure_kind& one : words.measures) {
    measures[one.name] = {{"title", one.title.empty() ? one.name : one.title},
                          {"unit", one.unit},
                          {"better", one.which == better::more ? "more" : "less"}};
  }
  return {{"title", words.title},
          {"summary", words.summary},
          {"main", words.main},
          {"measures", std::move(measures)}};
}

bench_words read_words(const json& object) {
  if (!object.is_object()) throw std::runtime_error("what is said of a bench must be an object");
  bench_words words;
  words.title = required<std::string>(object, "title");
  words.summary = optional<std::string>(object, "summary");
  words.main = optional<std::string>(object, "main", "time");
  const json measures = optional<json>(object, "measures", json::object());
  if (!measures.is_object()) throw std::runtime_error("'measures' has the wrong type");
  for (const auto& [name, measure] : measures.items()) {
    if (!measure.is_object())
      throw std::runtime_error(fmt::format("'{}' has the wrong type", name));
    words.measures.push_back({name, required<std::string>(measure, "unit"),
                              optional<std::string>(measure, "title"), read_direction(measure)});
  }
  return words;
}

}  // namespace mallard::lab
