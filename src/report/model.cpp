#include "report/model.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/bench/bench.hpp"
#include "lab/bench/page.hpp"
#include "lab/claims/claims.hpp"
#include "lab/claims/reference.hpp"
#include "lab/claims/verdict_json.hpp"
#include "lab/measuring/strategies.hpp"
#include "lab/measuring/structures.hpp"
#include "lab/results/cell_json.hpp"

namespace mallard::report {
namespace {

using json = nlohmann::ordered_json;

// An object of those members that are not empty, false, zero or nothing.
class said {
 public:
  template <class T>
  said& operator()(const char* name, const T& value) {
    bool nothing = false;
    if constexpr (requires { value.empty(); }) {
      nothing = value.empty();
    } else {
      nothing = value == T{};
    }
    if (!nothing) object_[name] = value;
    return *this;
  }
  json take() { return std::move(object_); }

 private:
  json object_ = json::object();
};

json place_json(const lab::place& at) {
  return at.empty() ? json() : lab::to_json(at);
}

template <class Whole, class Write>
json list(const std::vector<Whole>& all, const Write& write) {
  json made = json::array();
  for (const Whole& one : all) made.push_back(write(one));
  return made;
}

const char* view_name(lab::page_view view) {
  constexpr std::array names = {"measures", "percentages", "surfaces", "kinds"};
  return names.at(static_cast<std::size_t>(view));
}

json topic_json(const lab::page_topic& topic) {
  return json::array({topic.title, topic.paragraphs});
}

json section_json(const lab::page_section& of) {
  return said()("id", of.id)("name", of.name)("title", of.title)("text", of.text)(
             "order", of.order)("method", list(of.method, topic_json))
      .take();
}

json group_json(const lab::page_group& of) {
  return json::array({of.title, of.measures});
}

json card_json(const lab::page_card& of) {
  return said()("view", std::string(view_name(of.view)))("title", of.title)("hint", of.hint)(
             "half", of.half)("along", of.along)("beside", of.beside)("xName", of.along_title)(
             "alongUnit", of.along_unit)("measures", of.measures)(
             "groups", list(of.groups, group_json))("reference", of.reference)("bases", of.bases)(
             "anyBase", of.any_base)("bars", of.bars)("log", of.logarithmic)("linear", of.linear)(
             "height", of.height)("kinds", of.kinds)("published", of.published)("rows", of.rows)(
             "where", place_json(of.where))
      .take();
}

json column_json(const lab::page_headline::column& of) {
  return said()("strategy", of.strategy)("peer", of.peer)("malloc", of.malloc).take();
}

json headline_json(const lab::page_headline& of) {
  return said()("title", of.title)("subject", of.subject)("text", of.text)("measure", of.measure)(
             "who", column_json(of.who))("over", column_json(of.over))(
             "where", place_json(of.where))("atLeast", place_json(of.at_least))
      .take();
}

json page_json(const lab::bench_page& page, bool of_series) {
  std::vector<lab::page_card> cards;
  for (const lab::page_card& one : page.cards) {
    if (one.of_series == of_series) cards.push_back(one);
  }
  json made = said()("section", section_json(page.section))("cards", list(cards, card_json))(
                  "logarithms", page.logarithms)
                  .take();
  if (!of_series && !page.headlines.empty()) {
    made["headlines"] = list(page.headlines, headline_json);
  }
  return made;
}

using json = nlohmann::ordered_json;

json structures() {
  json all = json::array();
  for (const auto& one : lab::all_structures()) {
    all.push_back({{"id", one.name}, {"type", one.type}});
  }
  return all;
}

json strategies() {
  json all = json::array();
  for (const auto& one : lab::all_strategies()) {
    all.push_back({{"id", one.name},
                   {"allocator", lab::to_string(one.what)},
                   {"binding", lab::to_string(one.how)},
                   {"wink", one.end == lab::destruction::winked_out},
                   {"buffer", one.callers_buffer},
                   {"published", one.published()}});
  }
  return all;
}

// Seconds by structure, size and strategy. The sizes are those of the paper's tables.
json published() {
  constexpr int smallest = 6;
  constexpr int largest = 16;
  json tables = json::object();
  for (const auto& structure : lab::all_structures()) {
    for (int size = smallest; size <= largest; ++size) {
      for (const auto& strategy : lab::all_strategies()) {
        if (const auto seconds = lab::published_seconds(structure.name, size, strategy.name)) {
          tables[std::string(structure.name)][std::to_string(size)][std::string(strategy.name)] =
              *seconds;
        }
      }
    }
  }
  return {{"leaves", lab::paper_leaves}, {"seconds", tables}};
}

// The tables of Benchmarks II to IV: {name: {"columns", "rows"}}; null is a failure.
json published_series() {
  json tables = json::object();
  for (const auto& table : lab::published_tables()) {
    json rows = json::array();
    for (const auto& row : table.rows) {
      json values = json::array();
      for (const auto& value : row) values.push_back(value ? json(*value) : json(nullptr));
      rows.push_back(std::move(values));
    }
    tables[std::string(table.name)] = {{"columns", table.columns}, {"rows", std::move(rows)}};
  }
  return tables;
}

// Six significant digits are more than any clock gives, and shorten the page a good deal.
void shorten(json& value) {
  if (value.is_array()) {
    for (auto& element : value) shorten(element);
  } else if (value.is_number_float()) {
    value = std::stod(fmt::format("{:.6g}", value.get<double>()));
  }
}

// Heat maps show the spread of the main measure alone, of which there are thousands of cells.
bool shows_all_measures(const lab::cell_result& cell) {
  return !cell.at.contains("ds");
}

// The measure that cells of a bench are compared by.
std::string main_measure(const lab::dataset& set, const std::string& bench) {
  for (auto one = set.sources.rbegin(); one != set.sources.rend(); ++one) {
    const auto words = one->run.benches.find(bench);
    if (words != one->run.benches.end()) return words->second.main;
  }
  const lab::bench* const what = lab::find_bench(bench);
  return what ? what->main : "time";
}

// Each cell as in the result file, as far as it is shown.
json cells(const lab::dataset& set) {
  json all = json::array();
  std::map<std::string, std::string> main_measures;  // by bench
  for (const auto& cell : set.cells) {
    const auto [compared_by, fresh] = main_measures.try_emplace(cell.bench);
    if (fresh) compared_by->second = main_measure(set, cell.bench);
    json object = lab::to_json(cell);
    object.erase("kind");
    object.erase("checksum");
    if (!cell.ok()) {
      all.push_back(std::move(object));
      continue;
    }
    for (auto& [name, measure] : object["measures"].items()) {
      if (!shows_all_measures(cell) && name != compared_by->second) {
        measure = {{"unit", measure["unit"]}, {"median", measure["median"]}};
      }
      for (auto& member : measure) shorten(member);
    }
    all.push_back(std::move(object));
  }
  return all;
}

json sources(const lab::dataset& set) {
  json all = json::array();
  for (const auto& [file, run] : set.sources) {
    json line = json::parse(lab::to_line(run));
    line.erase("kind");
    line["file"] = file;
    all.push_back(std::move(line));
  }
  return all;
}

json claims(const lab::dataset& set) {
  json all = json::array();
  for (const auto& claim : lab::evaluate_claims(lab::observe(set))) {
    all.push_back(lab::to_json(claim));
  }
  return all;
}

// The page's words for benches: titles, units and directions as the result files say them, of
// the newest that does; as this program does where none says. How they are shown, this program
// alone.
json benches(const lab::merged_results& results) {
  json all = json::object();
  for (const lab::bench& one : lab::all_benches()) {
    for (const auto& [name, words] : lab::words_of(one)) {
      all[name] = lab::to_json(words);
      all[name]["page"] = page_json(one.page, name != one.name);
    }
  }
  for (const lab::dataset& set : results.datasets) {
    for (const lab::source& source : set.sources) {
      for (const auto& [name, words] : source.run.benches) all[name].update(lab::to_json(words));
    }
  }
  return all;
}

}  // namespace

json make_model(const lab::merged_results& results) {
  json datasets = json::array();
  for (const auto& set : results.datasets) {
    datasets.push_back({{"label", set.label},
                        {"runs", sources(set)},
                        {"claims", claims(set)},
                        {"cells", cells(set)}});
  }
  return {{"schema", 1},
          {"notes", results.notes},
          {"structures", structures()},
          {"strategies", strategies()},
          {"published", published()},
          {"published_series", published_series()},
          {"benches", benches(results)},
          {"datasets", std::move(datasets)}};
}

}  // namespace mallard::report
