#include "report/page.hpp"

#include <fstream>
#include <stdexcept>

namespace mallard::report {
namespace {

// In JSON '<' occurs inside strings only, where the escape means the same. Without a '<' there is
// neither "</script" nor "<!--", the two sequences that the HTML parser looks for in a script.
std::string escape_for_script(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace

bool is_page(const std::filesystem::path& file) {
  constexpr std::size_t longest_head = 1000;
  std::string head(longest_head, '\0');
  std::ifstream(file, std::ios::binary).read(head.data(), longest_head);
  return head.starts_with("<!doctype html>") && head.find("<title>Mallard") != head.npos;
}

std::string fill_page(std::string_view page, const nlohmann::ordered_json& model) {
  const std::size_t at = page.find(data_marker);
  if (at == std::string_view::npos ||
      page.find(data_marker, at + data_marker.size()) != std::string_view::npos) {
    throw std::logic_error("the page must have exactly one place for the data");
  }
  // File names need not be UTF-8; what is not becomes a replacement character.
  const std::string text =
      model.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string filled(page.substr(0, at));
  filled += escape_for_script(text);
  filled += page.substr(at + data_marker.size());
  return filled;
}

}  // namespace mallard::report
