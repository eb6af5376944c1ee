#include "mallard/checks/counting_report.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string_view>

namespace mallard::inline v1 {
namespace {

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

counting_report report_on(const detail::counted& one) {
  detail::counted_totals sum;
  one.read(sum);
  counting_report out;
  out.name = one.name();
  out.counts = sum.counts;
  for (unsigned c = 0; c < detail::counted_classes; ++c) {
    if (sum.allocations[c] == 0) continue;
    const std::size_t up_to = c < detail::class_count ? detail::class_bytes(c) : no_limit;
    out.classes.push_back({up_to, sum.allocations[c], sum.deallocations[c]});
  }
  one.for_each_scope(
      [](void* scopes, const scope_counts& scope) {
        static_cast<std::vector<scope_counts>*>(scopes)->push_back(scope);
      },
      &out.scopes);
  return out;
}

// Lines of right-aligned cells; the first column is left-aligned.
class text_table {
 public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()));
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string out;
    for (const auto& row : rows_) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string blanks(widths[i] - row[i].size(), ' ');
        if (i == 0) {
          out.append(row[i]).append(blanks);
        } else {
          out.append("  ").append(blanks).append(row[i]);
        }
      }
      out.append("\n");
    }
    return out;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

template <class Number>
std::string number(Number n) {
  return std::to_string(n);
}

void add_key(std::string& out, std::string_view key) {
  if (out.back() != '{') out.push_back(',');
  out.append("\"").append(key).append("\":");
}

template <class Number>
void add_member(std::string& out, std::string_view key, Number value) {
  add_key(out, key);
  out.append(number(value));
}

// Bytes of the character at the beginning of `text`; 0 if it is none of UTF-8. Accepts longer forms
// than needed and surrogates: readers take them, or say so.
std::size_t character_bytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = first < 0x80                    ? 1
                            : first >= 0xc2 && first < 0xe0 ? 2
                            : first >= 0xe0 && first < 0xf0 ? 3
                            : first >= 0xf0 && first < 0xf5 ? 4
                                                            : 0;
  if (bytes > text.size()) return 0;
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  }
  return bytes;
}

void add_string(std::string& out, std::string_view text) {
  out.push_back('"');
  for (; !text.empty();) {
    const char c = text[0];
    const std::size_t bytes = character_bytes(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(bytes, 1));
    text.remove_prefix(character.size());
    if (bytes == 0) {
      out.append("\\ufffd");  // a file of JSON is UTF-8, whatever the name is
    } else if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      out.append(escape);
    } else {
      out.append(character);
    }
  }
  out.push_back('"');
}

void add_counts(std::string& out, const allocation_counts& c) {
  add_member(out, "allocations", c.allocations);
  add_member(out, "deallocations", c.deallocations);
  add_member(out, "in_use_blocks", c.in_use_blocks);
  add_member(out, "peak_blocks", c.peak_blocks);
  add_member(out, "in_use_bytes", c.in_use_bytes);
  add_member(out, "peak_bytes", c.peak_bytes);
  add_member(out, "total_bytes", c.total_bytes);
  add_member(out, "largest_bytes", c.largest_bytes);
  add_member(out, "largest_alignment", c.largest_alignment);
}

void add_class(std::string& out, const class_counts& c) {
  out.push_back('{');
  add_key(out, "up_to_bytes");
  out.append(c.up_to_bytes == no_limit ? "null" : number(c.up_to_bytes));
  add_member(out, "allocations", c.allocations);
  add_member(out, "deallocations", c.deallocations);
  out.push_back('}');
}

void add_scope(std::string& out, const scope_counts& s) {
  out.push_back('{');
  add_key(out, "name");
  add_string(out, s.name);
  add_member(out, "entries", s.entries);
  add_member(out, "allocations", s.allocations);
  add_member(out, "deallocations", s.deallocations);
  add_member(out, "total_bytes", s.total_bytes);
  add_member(out, "peak_bytes", s.peak_bytes);
  add_member(out, "peak_blocks", s.peak_blocks);
  add_member(out, "kept_bytes", s.kept_bytes);
  add_member(out, "kept_blocks", s.kept_blocks);
  out.push_back('}');
}

template <class T, class Add>
void add_array(std::string& out, const std::vector<T>& all, Add add) {
  out.push_back('[');
  for (const T& one : all) {
    if (&one != all.data()) out.push_back(',');
    add(out, one);
  }
  out.push_back(']');
}

void add_report(std::string& out, const counting_report& r) {
  out.push_back('{');
  add_key(out, "name");
  add_string(out, r.name);
  add_counts(out, r.counts);
  add_key(out, "classes");
  add_array(out, r.classes, add_class);
  add_key(out, "scopes");
  add_array(out, r.scopes, add_scope);
  out.push_back('}');
}

}  // namespace

void detail::add_counting_reports(std::vector<counting_report>& to) {
  counted::for_each(
      [](void* reports, const counted& one) {
        static_cast<std::vector<counting_report>*>(reports)->push_back(report_on(one));
      },
      &to);
}

std::string counting_table(const std::vector<counting_report>& of) {
  if (of.empty()) return {};
  text_table table;
  table.add({"resource", "in use", "blocks", "peak", "blocks", "in all", "blocks", "largest"});
  for (const counting_report& r : of) {
    const allocation_counts& c = r.counts;
    table.add({r.name, number(c.in_use_bytes), number(c.in_use_blocks), number(c.peak_bytes),
               number(c.peak_blocks), number(c.total_bytes), number(c.allocations),
               number(c.largest_bytes)});
    for (const class_counts& k : r.classes) {
      std::string label = k.up_to_bytes == no_limit ? "  larger" : "  to ";
      if (k.up_to_bytes != no_limit) label.append(number(k.up_to_bytes)).append(" B");
      table.add({std::move(label), "", number(k.allocations - k.deallocations), "", "", "",
                 number(k.allocations), ""});
    }
    for (const scope_counts& s : r.scopes) {
      std::string label = "  scope ";
      label.append(s.name).append(" x").append(number(s.entries));
      table.add({std::move(label), number(s.kept_bytes), number(s.kept_blocks),
                 number(s.peak_bytes), number(s.peak_blocks), number(s.total_bytes),
                 number(s.allocations), ""});
    }
  }
  return table.text();
}

std::string counting_json(const std::vector<counting_report>& of) {
  std::string out;
  add_array(out, of, add_report);
  return out;
}

}  // namespace mallard::inline v1
