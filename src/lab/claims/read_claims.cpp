// Reads claims from JSON. Unknown members are errors, because a misspelt one would judge something
// other than intended.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <utility>

#include "lab/claims/claim_table.hpp"

namespace mallard::lab {
namespace {

using nlohmann::json;

// Named lists of names.
using groups_of = std::map<std::string, names>;

[[noreturn]] void refuse(const std::string& reason) {
  throw std::runtime_error(reason);
}

std::string text_of(const json& value) {
  if (!value.is_string()) refuse(fmt::format("'{}' is no text", value.dump()));
  return value.get<std::string>();
}

// An object, each member of which is read once.
class members {
 public:
  explicit members(const json& object) : object_(object) {
    if (!object.is_object()) refuse(fmt::format("'{}' is no object", object.dump()));
  }

  const json* find(const std::string& name) {
    known_.insert(name);
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }
  const json& need(const std::string& name) {
    const json* found = find(name);
    if (!found) refuse(fmt::format("'{}' is missing", name));
    return *found;
  }
  std::string text(const std::string& name, std::string otherwise = {}) {
    const json* found = find(name);
    return found ? text_of(*found) : std::move(otherwise);
  }
  bool flag(const std::string& name) {
    const json* found = find(name);
    if (found && !found->is_boolean()) refuse(fmt::format("'{}' is no true or false", name));
    return found && found->get<bool>();
  }
  double number(const std::string& name, double otherwise) {
    const json* found = find(name);
    if (found && !found->is_number()) refuse(fmt::format("'{}' is no number", name));
    return found ? found->get<double>() : otherwise;
  }
  void expect_no_others() const {
    for (const auto& [name, value] : object_.items()) {
      if (!known_.contains(name)) refuse(fmt::format("'{}' is not known", name));
    }
  }

 private:
  const json& object_;
  std::set<std::string> known_;
};

// Parses "AS3 AS4", or the name of a group.
names list_of(const std::string& text, const groups_of& groups) {
  if (const auto group = groups.find(text); group != groups.end()) return group->second;
  names list;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) list.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return list;
}

// Parses a word or a group, or a list of them. Words of coordinates may contain spaces.
names words_of(const json& given, const groups_of& groups) {
  const json list = given.is_array() ? given : json::array({given});
  names words;
  for (const json& one : list) {
    const std::string word = text_of(one);
    const auto group = groups.find(word);
    if (group == groups.end()) {
      words.push_back(word);
    } else {
      words.insert(words.end(), group->second.begin(), group->second.end());
    }
  }
  if (words.empty()) refuse("a list of words is empty");
  return words;
}

bool is_range(const json& given) {
  return given.is_array() && given.size() == 2 &&
         std::all_of(given.begin(), given.end(),
                     [](const json& end) { return end.is_null() || end.is_number_integer(); });
}

// Parses 4, [4, null], "own", ["own", "shared"] or {"not": "own"}.
values values_of(const json& given, const groups_of& groups) {
  values read;
  if (given.is_number_integer()) {
    read.first = read.last = given.get<std::int64_t>();
  } else if (is_range(given)) {
    if (!given.at(0).is_null()) read.first = given.at(0).get<std::int64_t>();
    if (!given.at(1).is_null()) read.last = given.at(1).get<std::int64_t>();
    if (read.first > read.last) refuse(fmt::format("'{}' is an empty range", given.dump()));
  } else if (given.is_object()) {
    members all(given);
    read.words = words_of(all.need("not"), groups);
    read.except = true;
    all.expect_no_others();
  } else {
    read.words = words_of(given, groups);
  }
  return read;
}

conditions_of conditions(const json* given, const groups_of& groups) {
  conditions_of all;
  if (!given) return all;
  if (!given->is_object()) refuse(fmt::format("'{}' is no object", given->dump()));
  for (const auto& [coordinate, admitted] : given->items()) {
    all.push_back({coordinate, values_of(admitted, groups)});
  }
  return all;
}

over over_of(const std::string& word) {
  if (word == "all") return over::all;
  if (word == "strategy") return over::strategy;
  if (word == "cell") return over::cell;
  if (word == "value") return over::value;
  refuse(fmt::format("each: unknown value '{}' (known: all, strategy, cell, value)", word));
}

// Parses [low, high]; null means unbounded.
void read_range(comparison& part, const json& range) {
  const auto is_bound = [](const json& end) { return end.is_null() || end.is_number(); };
  if (!range.is_array() || range.size() != 2 || !std::all_of(range.begin(), range.end(), is_bound))
    refuse(fmt::format("'{}' is no range of two numbers", range.dump()));
  if (!range.at(0).is_null()) part.at_least = range.at(0).get<double>();
  if (!range.at(1).is_null()) part.at_most = range.at(1).get<double>();
  if (!(part.at_least < part.at_most)) refuse(fmt::format("'{}' is an empty range", range.dump()));
}

comparison comparison_of(const json& given, const groups_of& groups, const std::string& bench) {
  members all(given);
  comparison part;
  part.label = text_of(all.need("label"));
  part.bench = all.text("bench", bench);
  if (part.bench.empty()) refuse("'bench' is missing");
  part.measure = all.text("measure", part.measure);
  part.structures = list_of(all.text("structures"), groups);
  part.left = list_of(text_of(all.need("left")), groups);
  part.right = list_of(all.text("right"), groups);
  if (part.left.empty()) refuse("'left' is empty");
  if (part.left.size() > 1 && part.right.size() > 1 && part.left.size() != part.right.size()) {
    refuse("'left' and 'right' have lists of different lengths");
  }
  part.where = conditions(all.find("where"), groups);
  part.left_at = conditions(all.find("left_at"), groups);
  part.right_at = conditions(all.find("right_at"), groups);
  part.along = all.text("along", part.along);
  part.beside = list_of(all.text("beside"), groups);
  if (const json* at = all.find("at")) part.at = values_of(*at, groups);
  if (const json* base = all.find("base")) part.base = values_of(*base, groups);
  part.least_base = all.flag("least_base");
  part.spread = all.text("spread");
  part.what = over_of(all.text("each", "all"));
  part.by = all.text("by", part.by);
  part.how_many = all.flag("some") ? need::some : need::every;
  part.floor = all.number("floor", 0);
  part.failing = all.flag("fails");
  if (!part.failing) read_range(part, all.need("range"));
  all.expect_no_others();
  return part;
}

class claims_reader {
 public:
  explicit claims_reader(const json& file) : all_(file) {
    bench_ = all_.text("bench");
    source_ = all_.text("source");
    each_ = all_.text("each");
    if (const json* groups = all_.find("groups")) {
      for (const auto& [name, list] : groups->items()) groups_[name] = list_of(text_of(list), {});
    }
    if (const json* notes = all_.find("notes")) {
      for (const auto& [name, text] : notes->items()) notes_[name] = text_of(text);
    }
  }

  std::vector<claim> read() {
    std::vector<claim> claims;
    for (const json& one : all_.need("claims")) claims.push_back(claim_of(one));
    all_.expect_no_others();
    return claims;
  }

 private:
  claim claim_of(const json& given) {
    members all(given);
    claim made;
    made.id = text_of(all.need("id"));
    try {
      made.section = all.text("section");
      made.source = all.text("source", source_);
      made.each = all.text("each", each_);
      made.heap = all.text("heap");
      made.statement = text_of(all.need("statement"));
      made.note = all.text("note");
      if (const auto note = notes_.find(made.note); note != notes_.end()) made.note = note->second;
      for (const json& part : all.need("holds")) {
        made.comparisons.push_back(comparison_of(part, groups_, bench_));
      }
      if (made.comparisons.empty()) refuse("'holds' is empty");
      all.expect_no_others();
    } catch (const std::runtime_error& problem) {
      refuse(fmt::format("{}: {}", made.id, problem.what()));
    }
    return made;
  }

  members all_;
  std::string bench_;
  std::string source_;
  std::string each_;
  groups_of groups_;
  std::map<std::string, std::string> notes_;
};

}  // namespace

std::vector<claim> read_claims(std::string_view text, std::string_view name) {
  try {
    const json file = json::parse(text);
    return claims_reader(file).read();
  } catch (const json::exception& problem) {
    refuse(fmt::format("{}: {}", name, problem.what()));
  } catch (const std::runtime_error& problem) {
    refuse(fmt::format("{}: {}", name, problem.what()));
  }
}

}  // namespace mallard::lab
