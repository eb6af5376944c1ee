#include "cli/text_table.hpp"

#include <gtest/gtest.h>

namespace {

using mallard::cli::shown_width;
using mallard::cli::text_table;

TEST(text_table, columns_are_as_wide_as_what_is_in_them) {
  text_table table({{"bytes"}, {"function", text_table::left}, {"", text_table::left}});
  table.add({"1.5 KiB", "f", "remark"});
  table.add({"12345678 B", "parse_all"});
  table.add_line("and 3 more");
  EXPECT_EQ(table.text(false, "  "),
            "       bytes  function\n"
            "     1.5 KiB  f          remark\n"
            "  12345678 B  parse_all\n"
            "  and 3 more\n");
}

TEST(text_table, colours_and_utf8_do_not_move_columns) {
  EXPECT_EQ(shown_width("\033[1mab\033[0m"), 2u);
  EXPECT_EQ(shown_width("▏µ"), 2u);
  text_table table({{"", text_table::left}, {"", text_table::left}});
  table.add({"\033[31m▏\033[0m", "x"});
  table.add({"ab", "y"});
  EXPECT_EQ(table.text(false), "\033[31m▏\033[0m   x\nab  y\n");
}

TEST(text_table, headings_are_bold_and_left_out_where_there_are_none) {
  text_table named({{"n", text_table::right, 3}});
  named.add({"1"});
  EXPECT_EQ(named.text(true), "\033[1m  n\033[0m\n  1\n");
  text_table nameless({{""}});
  nameless.add({"1"});
  EXPECT_EQ(nameless.text(true), "1\n");
}

}  // namespace
