// Tables on the terminal: as wide as what is in them.
//
//   text_table table({{"bytes"}, {"operations"}, {"function", text_table::left}});
//   table.add({bytes_text(one.bytes), …});
//   fmt::print("{}", table.text(colour));
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mallard::cli {

// Columns that the text takes on a terminal: colours take none, UTF-8 one for each character.
std::size_t shown_width(std::string_view text);

class text_table {
 public:
  enum side { right, left };
  struct column {
    std::string heading;
    side aligned = right;
    std::size_t least = 0;  // width
  };

  explicit text_table(std::vector<column> columns) : columns_(std::move(columns)) {}

  // A row; cells that are left out at its end are empty. They may be styled.
  void add(std::vector<std::string> cells);
  // A line below the last row, as it is.
  void add_line(std::string text);
  bool empty() const { return rows_.empty(); }

  // Each line behind `indent`, with two blanks between columns. The headings are bold.
  std::string text(bool colour, std::string_view indent = "") const;

 private:
  struct row {
    std::vector<std::string> cells;
    std::string line;  // in their place
  };
  std::vector<std::size_t> widths() const;

  std::vector<column> columns_;
  std::vector<row> rows_;
};

}  // namespace mallard::cli
