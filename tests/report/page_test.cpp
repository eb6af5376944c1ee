// The page built into the program, and how data is put into it.
#include "report/page.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace mallard::report_test {
namespace {

using json = nlohmann::ordered_json;
using report::fill_page;

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(page, data_cannot_end_the_script_that_holds_it) {
  const json model = {{"cpu", "</script><script>alert(1)</script><!--"}};
  const std::string page = fill_page("<script>@MALLARD_DATA@</script>", model);
  EXPECT_EQ(count(page, "</script"), 1U);
  EXPECT_EQ(count(page, "<!--"), 0U);
}

TEST(page, escaped_data_reads_back_unchanged) {
  const json model = {{"text", "a < b && \"c\" </script> \\u003c é"}};
  const std::string page = fill_page("@MALLARD_DATA@", model);
  EXPECT_EQ(json::parse(page), model);
}

TEST(page, text_that_is_not_utf8_is_replaced) {
  const std::string page = fill_page("@MALLARD_DATA@", json{{"file", "\xff.jsonl"}});
  EXPECT_EQ(json::parse(page).at("file"), "\xef\xbf\xbd.jsonl");
}

TEST(page, a_page_needs_exactly_one_place_for_the_data) {
  EXPECT_THROW(fill_page("nothing", {}), std::logic_error);
  EXPECT_THROW(fill_page("@MALLARD_DATA@ @MALLARD_DATA@", {}), std::logic_error);
}

TEST(page, the_built_in_page_is_whole_and_has_one_place_for_the_data) {
  const auto page = report::page_template();
  EXPECT_EQ(page.substr(0, 15), "<!doctype html>");
  EXPECT_EQ(count(page, "</html>"), 1U);
  EXPECT_EQ(count(page, report::data_marker), 1U);
}

TEST(page, the_built_in_page_refers_to_no_other_file) {
  const auto page = report::page_template();
  EXPECT_EQ(count(page, "src=\"http"), 0U);
  EXPECT_EQ(count(page, "<link rel=\"stylesheet"), 0U);
  EXPECT_EQ(count(page, "<script src"), 0U);
  EXPECT_EQ(count(page, "@import"), 0U);
}

}  // namespace
}  // namespace mallard::report_test
