// Writes profile.proto by hand. A message is a row of fields. A field is a varint of its number and
// wire type, followed by a varint (type 0), or by a length and bytes (type 2). Strings are indices
// into a table whose first entry is empty. Each function has one location, so everything in a
// function is one line of the profile.
#include <map>
#include <span>
#include <string_view>

#include "profile/export/stack_formats.hpp"

namespace mallard::profile {
namespace {

class message {
 public:
  void number(unsigned field, std::uint64_t value) {
    varint(field << 3);
    varint(value);
  }
  void bytes(unsigned field, std::string_view value) {
    varint((field << 3) | 2);
    varint(value.size());
    text_ += value;
  }
  void numbers(unsigned field, std::span<const std::uint64_t> values) {
    message packed;
    for (const std::uint64_t value : values) packed.varint(value);
    bytes(field, packed.text_);
  }
  const std::string& text() const { return text_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) text_ += static_cast<char>((value & 0x7f) | 0x80);
    text_ += static_cast<char>(value);
  }

  std::string text_;
};

class string_table {
 public:
  string_table() { index(""); }
  std::uint64_t index(std::string_view text) {
    const auto [at, added] = indices_.try_emplace(std::string(text), all_.size());
    if (added) all_.push_back(at->first);
    return at->second;
  }
  const std::vector<std::string_view>& all() const { return all_; }

 private:
  std::map<std::string, std::uint64_t, std::less<>> indices_;
  std::vector<std::string_view> all_;
};

std::string value_type(string_table& strings, std::string_view type, std::string_view unit) {
  message m;
  m.number(1, strings.index(type));
  m.number(2, strings.index(unit));
  return m.text();
}

// The stack, innermost first; then a value for each sample type.
std::string sample(const stack_profile& profile, std::uint32_t at) {
  std::vector<std::uint64_t> stack;
  for (std::uint32_t up = at; up != 0; up = profile.nodes[up].parent) {
    stack.push_back(profile.nodes[up].function + 1);
  }
  std::vector<std::uint64_t> values;
  for (const weight_kind& kind : weight_kinds) {
    values.push_back(profile.nodes[at].own.*kind.value);
  }
  message m;
  m.numbers(1, stack);
  m.numbers(2, values);
  return m.text();
}

std::string location(std::uint64_t id, const function_name& function) {
  message line;
  line.number(1, id);
  line.number(2, function.line);
  message m;
  m.number(1, id);
  m.bytes(4, line.text());
  return m.text();
}

std::string function_of(std::uint64_t id, const function_name& function, string_table& strings) {
  message m;
  m.number(1, id);
  m.number(2, strings.index(function.name));
  m.number(3, strings.index(function.name));
  m.number(4, strings.index(function.file));
  m.number(5, function.line);
  return m.text();
}

}  // namespace

std::string to_pprof(const stack_profile& profile, const recording_time& time) {
  string_table strings;
  message whole;
  for (const weight_kind& kind : weight_kinds) {
    whole.bytes(1, value_type(strings, kind.name, kind.unit));
  }
  for (std::uint32_t at = 1; at < profile.nodes.size(); ++at) {
    if (profile.nodes[at].own.any()) whole.bytes(2, sample(profile, at));
  }
  for (std::size_t i = 0; i < profile.functions.size(); ++i) {
    whole.bytes(4, location(i + 1, profile.functions[i]));
    whole.bytes(5, function_of(i + 1, profile.functions[i], strings));
  }
  const std::uint64_t shown_first = strings.index("alloc_space");
  for (const std::string_view text : strings.all()) whole.bytes(6, text);
  whole.number(9, static_cast<std::uint64_t>(time.start_nanoseconds));
  whole.number(10, static_cast<std::uint64_t>(time.duration_nanoseconds));
  whole.number(14, shown_first);
  return whole.text();
}

}  // namespace mallard::profile
