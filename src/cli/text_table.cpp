#include "cli/text_table.hpp"

#include <algorithm>
#include <utility>

#include "cli/terminal.hpp"

namespace mallard::cli {

std::size_t shown_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033') {
      i = text.find('m', i);
      if (i == text.npos) break;
    } else if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) {
      ++width;
    }
  }
  return width;
}

void text_table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back({std::move(cells), {}});
}

void text_table::add_line(std::string text) {
  rows_.push_back({{}, std::move(text)});
}

std::vector<std::size_t> text_table::widths() const {
  std::vector<std::size_t> widest;
  for (const column& one : columns_) {
    widest.push_back(std::max(one.least, shown_width(one.heading)));
  }
  for (const row& one : rows_) {
    for (std::size_t i = 0; i < one.cells.size(); ++i) {
      widest[i] = std::max(widest[i], shown_width(one.cells[i]));
    }
  }
  return widest;
}

std::string text_table::text(bool colour, std::string_view indent) const {
  const std::vector<std::size_t> widest = widths();
  const auto line_of = [&](const auto& cell) {
    std::string line(indent);
    std::size_t pending = 0;  // blanks, which no line ends in
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string& text = cell(i);
      const std::size_t rest = widest[i] - shown_width(text);
      const bool before = columns_[i].aligned == right;
      pending += (i == 0 ? 0 : 2) + (before ? rest : 0);
      if (!text.empty()) line.append(std::exchange(pending, 0), ' ') += text;
      if (!before) pending += rest;
    }
    return line;
  };
  std::string all;
  const bool has_headings = std::any_of(columns_.begin(), columns_.end(),
                                        [](const column& one) { return !one.heading.empty(); });
  if (has_headings) {
    const std::string line =
        line_of([&](std::size_t i) -> const std::string& { return columns_[i].heading; });
    all += styled(line, style::bold, colour) + '\n';
  }
  for (const row& one : rows_) {
    all += one.cells.empty()
               ? std::string(indent) + one.line
               : line_of([&](std::size_t i) -> const std::string& { return one.cells[i]; });
    all += '\n';
  }
  return all;
}

}  // namespace mallard::cli
