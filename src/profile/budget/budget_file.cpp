#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string_view>

#include "process/input_file.hpp"
#include "process/replaced_file.hpp"
#include "profile/budget/budget.hpp"
#include "profile/name_pattern.hpp"

namespace mallard::profile {
namespace {

struct measure_name {
  std::string_view word;
  budget_measure what;
};
constexpr measure_name measures[] = {
    {"peak", budget_measure::peak},
    {"bytes", budget_measure::bytes},
    {"allocations", budget_measure::allocations},
    {"leaks", budget_measure::leaks},
    {"leaked", budget_measure::leaked},
    {"survivors", budget_measure::survivors},
};

struct unit_name {
  std::string_view word;
  double bytes;
};
constexpr unit_name units[] = {
    {"B", 1},    {"kB", 1e3},      {"KB", 1e3},      {"MB", 1e6},
    {"GB", 1e9}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30},
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
    text.remove_prefix(1);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.remove_suffix(1);
  }
  return text;
}

// Takes the text up to the first space, and the space.
std::string_view take_word(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view word = text.substr(0, end);
  text = trimmed(text.substr(end));
  return word;
}

class rule_reader {
 public:
  rule_reader(const std::string& name, unsigned line) : at_(name + ':' + std::to_string(line)) {
    made_.line = line;
  }

  budget_rule read(std::string_view text) {
    made_.text = text;
    if (text.starts_with("none in ")) {
      made_.what = budget_measure::allocations;
      pattern(text.substr(5));
      return std::move(made_);
    }
    const std::size_t is = text.rfind("<=");
    if (is == text.npos) no_rule();
    std::string_view what = trimmed(text.substr(0, is));
    measure(take_word(what));
    pattern(what);
    limit(trimmed(text.substr(is + 2)));
    return std::move(made_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error(at_ + ": " + why);
  }
  [[noreturn]] void no_rule() const {
    fail("'" + made_.text +
         "' is neither MEASURE [[per call] of PATTERN] <= NUMBER [+TOLERANCE %] nor none in "
         "PATTERN");
  }

  void measure(std::string_view word) {
    std::string known;
    for (const measure_name& one : measures) {
      if (one.word == word) {
        made_.what = one.what;
        return;
      }
      known += (known.empty() ? "" : ", ") + std::string(one.word);
    }
    fail("unknown measure '" + std::string(word) + "' (known: " + known + ")");
  }

  void pattern(std::string_view text) {
    if (text.empty()) {
      if (made_.what == budget_measure::survivors)
        fail("survivors need a function: survivors of PATTERN");
      return;
    }
    std::string_view joint = take_word(text);
    if (joint == "per") {
      if (take_word(text) != "call") no_rule();
      if (made_.what != budget_measure::allocations && made_.what != budget_measure::bytes) {
        fail("only allocations and bytes have a limit per call");
      }
      made_.per_call = true;
      joint = take_word(text);
    }
    if ((joint != "in" && joint != "of") || text.empty()) no_rule();
    made_.pattern = text;
    if (!is_name_pattern(made_.pattern)) {
      fail("'" + made_.pattern + "' is not a regular expression");
    }
  }

  void limit(std::string_view text) {
    double more = 0;
    if (const std::size_t plus = text.find('+'); plus != text.npos) {
      std::string_view percent = trimmed(text.substr(plus + 1));
      const auto [end, error] =
          std::from_chars(percent.data(), percent.data() + percent.size(), more);
      const std::string_view sign =
          trimmed(percent.substr(static_cast<std::size_t>(end - percent.data())));
      if (error != std::errc() || !(more >= 0 && more <= 1000) || sign != "%") {
        fail("'" + std::string(text.substr(plus)) + "' is not +TOLERANCE %, at most 1000 %");
      }
      text = trimmed(text.substr(0, plus));
    }
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view unit = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
    const std::string whole(text);
    if (error != std::errc() || !(value >= 0)) fail("'" + whole + "' is not a number of 0 or more");
    double factor = 1;
    if (!unit.empty()) {
      factor = 0;
      for (const unit_name& one : units) {
        if (one.word == unit) factor = one.bytes;
      }
      if (factor == 0 || !is_bytes(made_.what)) {
        fail("'" + std::string(unit) + "' is not a unit of this (" +
             (is_bytes(made_.what) ? "known: B, kB, MB, GB, KiB, MiB, GiB" : "a count has none") +
             ")");
      }
    }
    value *= factor;
    if (value >= 0x1p63) fail("'" + whole + "' is too large");
    // 1.005 kB is 1005 bytes, and 1004.9999999999999 by the product.
    constexpr double rounding = 1e-12;
    if (std::abs(value - std::round(value)) > rounding * value) {
      fail("'" + whole + "' is not a whole number");
    }
    value = std::round(value);
    made_.limit = static_cast<std::uint64_t>(value);
    made_.tolerance = static_cast<std::uint64_t>(value * more / 100);
  }

  std::string at_;
  budget_rule made_;
};

}  // namespace

bool is_bytes(budget_measure what) {
  return what == budget_measure::peak || what == budget_measure::bytes ||
         what == budget_measure::leaked;
}

std::string_view to_string(budget_measure what) {
  for (const measure_name& one : measures) {
    if (one.what == what) return one.word;
  }
  return {};
}

std::vector<budget_rule> parse_budget(std::istream& text, const std::string& name) {
  std::vector<budget_rule> rules;
  unsigned number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    const std::string_view rule = trimmed(line);
    if (rule.empty() || rule.front() == '#') continue;
    rules.push_back(rule_reader(name, number).read(rule));
  }
  if (rules.empty()) throw std::runtime_error(name + ": has no rules");
  return rules;
}

std::size_t tighten_budget(const std::string& path, const std::vector<budget_finding>& findings) {
  std::map<unsigned, std::uint64_t> limits;  // by line
  for (const budget_finding& one : findings) {
    if (one.found && *one.found < one.rule.limit) limits[one.rule.line] = *one.found;
  }
  if (limits.empty()) return 0;
  std::ifstream file(path);
  std::string text;
  unsigned number = 0;
  for (std::string line; std::getline(file, line);) {
    if (const auto fresh = limits.find(++number); fresh != limits.end()) {
      const std::size_t is = line.rfind("<=");
      const std::size_t plus = line.find('+', is);
      const std::string behind = plus != line.npos      ? ' ' + line.substr(plus)
                                 : line.ends_with('\r') ? "\r"
                                                        : "";
      line = line.substr(0, is) + "<= " + std::to_string(fresh->second) + behind;
    }
    text += line;
    if (!file.eof()) text += '\n';  // the last line may have none
  }
  if (!file.eof()) throw std::runtime_error(path + ": cannot be read");
  process::replace_file(std::filesystem::canonical(path),
                        [&](std::ostream& out) { out << text << std::flush; });
  return limits.size();
}

std::vector<budget_rule> read_budget(const std::string& path) {
  std::ifstream file = process::open_input(path, "a budget");
  return parse_budget(file, path);
}

}  // namespace mallard::profile
