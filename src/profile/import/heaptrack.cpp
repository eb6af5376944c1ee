// A line is a letter and hexadecimal numbers:
//
//   v version file-version   X command   I page-size pages   c milliseconds
//   s length text                               a string; numbered from 1
//   i address module [function file line]…      an address and its names, inlined functions first
//   t address parent                            a stack; both numbered from 1, 0 is none
//   a size stack                                a kind of allocation, numbered from 0
//   + kind   - kind                             an allocation, a free
//
// Modules come before stacks in a trace, so the file is read twice: names first, then events.
#include "profile/import/heaptrack.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>

#include "profile/import/line_source.hpp"
#include "profile/trace/lacks.hpp"
#include "profile/trace/trace_writer.hpp"

namespace mallard::profile {
namespace {

// Parses the numbers after a line's letter. Returns: false if there is anything else.
bool numbers_of(std::string_view line, std::vector<std::uint64_t>& out) {
  out.clear();
  line.remove_prefix(std::min<std::size_t>(1, line.size()));
  while (!line.empty()) {
    if (line.front() == ' ') {
      line.remove_prefix(1);
      continue;
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value, 16);
    if (error != std::errc{}) return false;
    out.push_back(value);
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  }
  return true;
}

struct address {
  std::uint64_t ip = 0;
  std::uint32_t module = 0;  // a string's number
  std::vector<symbol_line> lines;
};

// The results of the first reading.
struct names {
  std::string command;
  std::uint64_t page_bytes = 4096;
  std::uint64_t file_version = 0;
  std::vector<std::string> strings{""};
  std::vector<address> addresses{{}};
};

// The string's number; 0 if the file has fewer strings.
std::uint32_t string_number(const names& all, std::uint64_t number) {
  return number < all.strings.size() ? static_cast<std::uint32_t>(number) : 0;
}

std::string string_of(std::string_view line, std::uint64_t file_version) {
  line.remove_prefix(std::min<std::size_t>(2, line.size()));
  // Since version 3 the length precedes the text.
  if (file_version >= 3) line.remove_prefix(std::min(line.find(' '), line.size() - 1) + 1);
  return std::string(line);
}

void read_address(std::span<const std::uint64_t> values, names& all) {
  address one;
  if (!values.empty()) one.ip = values[0];
  if (values.size() > 1) one.module = string_number(all, values[1]);
  for (std::size_t i = 2; i < values.size(); i += 3) {
    const std::uint64_t file = i + 1 < values.size() ? values[i + 1] : 0;
    const std::uint64_t line = i + 2 < values.size() ? values[i + 2] : 0;
    one.lines.push_back({string_number(all, values[i]), string_number(all, file),
                         static_cast<std::uint32_t>(line)});
  }
  all.addresses.push_back(std::move(one));
}

names read_names(const std::string& from) {
  line_source lines(from);
  names all;
  std::vector<std::uint64_t> values;
  for (std::string line; lines.next(line);) {
    if (line.empty()) continue;
    switch (line[0]) {
      case 'v':
        if (numbers_of(line, values) && !values.empty()) {
          all.file_version = values.size() > 1 ? values[1] : 1;
        }
        break;
      case 'X':
        all.command = line.substr(std::min<std::size_t>(2, line.size()));
        break;
      case 'I':
        if (numbers_of(line, values) && !values.empty() && values[0] != 0)
          all.page_bytes = values[0];
        break;
      case 's':
        all.strings.push_back(line.size() < 3 ? "" : string_of(line, all.file_version));
        break;
      case 'i':
        if (!numbers_of(line, values)) values.clear();
        read_address(values, all);
        break;
      default:
        break;
    }
  }
  return all;
}

// heaptrack does not say where modules lie. A module is taken to reach from its lowest to its
// highest seen address.
std::vector<module_info> modules_of(const names& all) {
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (const address& one : all.addresses) {
    if (one.module == 0) continue;
    const auto [at, fresh] = ranges.try_emplace(one.module, one.ip, one.ip);
    at->second = {std::min(at->second.first, one.ip), std::max(at->second.second, one.ip)};
  }
  std::vector<module_info> modules;
  for (const auto& [string, range] : ranges) {
    module_info one;
    one.path = all.strings[string];
    one.segments.push_back({range.first, range.second - range.first + 1});
    modules.push_back(std::move(one));
  }
  return modules;
}

symbol_table symbols_of(const names& all, const std::vector<module_info>& modules) {
  symbol_table table;
  table.strings = all.strings;
  std::map<std::string_view, std::uint32_t> numbers;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    numbers[modules[i].path] = static_cast<std::uint32_t>(i);
  }
  for (const address& one : all.addresses) {
    const auto module = numbers.find(all.strings[one.module]);
    if (module == numbers.end()) continue;
    symbol found;
    for (const symbol_line& line : one.lines) {
      if (line.function != 0) found.lines.push_back(line);
    }
    table.of[{module->second, one.ip}] = std::move(found);
  }
  return table;
}

// Does the second reading.
class event_reader {
 public:
  event_reader(const names& all, trace_writer& trace) : names_(all), trace_(trace) {}

  // Returns: false for a malformed line.
  bool take(std::string_view line) {
    switch (line[0]) {
      case 't':
        return with_numbers(line, 2, [&] { add_stack(); });
      case 'a':
        return with_numbers(line, 2,
                            [&] { kinds_.push_back({values_[0], stack(values_[1]), {}}); });
      case '+':
        return with_numbers(line, 1, [&] { allocate(); });
      case '-':
        return with_numbers(line, 1, [&] { free(); });
      case 'c':
        return with_numbers(line, 1, [&] { time_ = std::max(time_, values_[0] * 1'000'000); });
      default:
        return true;
    }
  }
  void finish() { write(); }
  std::uint64_t events() const { return count_; }
  std::uint64_t time() const { return time_; }

 private:
  struct kind {
    std::uint64_t size = 0;
    std::uint32_t stack = 0;
    std::vector<std::uint64_t> live;  // invented addresses
  };

  template <class Action>
  bool with_numbers(std::string_view line, std::size_t count, const Action& action) {
    if (!numbers_of(line, values_) || values_.size() < count) return false;
    action();
    return true;
  }

  std::uint32_t stack(std::uint64_t number) const {
    return number < stacks_.size() ? stacks_[number] : 0;
  }
  void add_stack() {
    const std::uint64_t ip =
        values_[0] < names_.addresses.size() ? names_.addresses[values_[0]].ip : 0;
    stacks_.push_back(trace_.stack(stack(values_[1]), {ip, 0}));
  }

  // Operations between two times of the file are a nanosecond apart, to keep their order.
  void add(event one) {
    one.time = ++time_;
    events_.push_back(one);
    ++count_;
    if (events_.size() == 4096) write();
  }
  void write() {
    trace_.events(0, events_);
    events_.clear();
  }

  void allocate() {
    if (values_[0] >= kinds_.size()) return;
    kind& one = kinds_[values_[0]];
    next_address_ += 16;
    one.live.push_back(next_address_);
    event what;
    what.address = next_address_;
    what.size = one.size;
    what.stack = one.stack;
    add(what);
  }
  void free() {
    if (values_[0] >= kinds_.size() || kinds_[values_[0]].live.empty()) return;
    event what;
    what.kind = event_kind::free;
    what.address = kinds_[values_[0]].live.back();
    kinds_[values_[0]].live.pop_back();
    add(what);
  }

  const names& names_;
  trace_writer& trace_;
  std::vector<std::uint64_t> values_;
  std::vector<std::uint32_t> stacks_{0};
  std::vector<kind> kinds_;
  std::vector<event> events_;
  std::uint64_t time_ = 0;
  std::uint64_t next_address_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace

bool is_heaptrack(const std::string& path) {
  try {
    line_source lines(path);
    std::string line;
    std::vector<std::uint64_t> values;
    return lines.next(line) && line.starts_with("v ") && numbers_of(line, values) &&
           !values.empty();
  } catch (const std::runtime_error&) {
    return false;
  }
}

import_result import_heaptrack(const std::string& from, const std::string& to) {
  line_source lines(from);
  if (!is_heaptrack(from)) {
    std::string line;
    const bool has_no_line = !lines.next(line) && lines.damaged();
    throw std::runtime_error(from + (has_no_line
                                         ? ": is damaged, and none of its lines is readable"
                                         : ": is not a file of heaptrack or logging_resource"));
  }
  const names all = read_names(from);
  if (all.file_version > 3) {
    throw std::runtime_error(from + ": comes from a later version of heaptrack (" +
                             std::to_string(all.file_version) + ") than the known one (3)");
  }
  if (all.file_version < 2) {
    throw std::runtime_error(from + ": comes from a version of heaptrack before 1.1");
  }
  process_info process;
  process.command = {all.command};
  process.recorder = "heaptrack, imported";
  process.unwinder = "heaptrack";
  process.page_bytes = all.page_bytes;
  process.not_recorded = {"addresses",     "threads",       "times",
                          "reallocations", stacks_of_frees, "where modules lie"};
  trace_writer trace(to, process);
  const std::vector<module_info> modules = modules_of(all);
  for (const module_info& one : modules) trace.module(one);
  trace.symbols(symbols_of(all, modules));
  import_result result;
  event_reader events(all, trace);
  for (std::string line; lines.next(line);) {
    if (!line.empty() && !events.take(line)) result.not_understood(from, lines.line_number());
  }
  events.finish();
  if (lines.damaged()) result.ends_in_the_middle(from);
  result.note_losses(trace);
  trace.end({events.time(), end_kind::unknown, 0});
  if (!trace.finish()) throw std::runtime_error(trace.error());
  result.events = events.events();
  return result;
}

}  // namespace mallard::profile
