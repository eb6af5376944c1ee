#include "structure/snippets.hpp"

#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace structure {
namespace {

struct block {
  std::size_t line = 0;  // of its first line in the page
  std::string code;      // without the includes
};

struct page {
  std::set<std::string> includes;
  std::vector<block> blocks;
};

// The word or words after the backticks of an opening fence; nothing for other lines.
bool is_fence(const std::string& line, std::string& info) {
  static const std::regex pattern(R"(^\s*```\s*(.*?)\s*$)");
  std::smatch match;
  if (!std::regex_match(line, match, pattern)) return false;
  info = match[1];
  return true;
}

page read_page(const std::string& name, const std::string& markdown) {
  static const std::regex include(R"(^\s*#\s*include\b.*)");
  page out;
  std::istringstream in(markdown);
  std::string line;
  std::string info;
  bool inside = false;
  bool inside_cpp = false;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    std::string fence;
    if (is_fence(line, fence)) {
      inside = !inside;
      info = fence;
      inside_cpp = inside && info.starts_with("cpp");
      if (inside_cpp && info != "cpp") {
        throw std::runtime_error(name + ":" + std::to_string(number) +
                                 ": every example is compiled, also '" + info + "'");
      }
      if (inside_cpp) out.blocks.push_back({number + 1, ""});
    } else if (inside_cpp && std::regex_match(line, include)) {
      out.includes.insert(line);
      out.blocks.back().code += "\n";  // keeps the line numbers
    } else if (inside_cpp) {
      out.blocks.back().code += line + "\n";
    }
  }
  if (inside) throw std::runtime_error(name + ": a fence is never closed");
  return out;
}

}  // namespace

std::string program_of_page(const std::string& page_name, const std::string& markdown) {
  static const std::regex has_main(R"((^|\n)\s*(int|auto)\s+main\s*\()");
  const page content = read_page(page_name, markdown);
  std::ostringstream out;
  for (const std::string& include : content.includes) out << include << "\n";
  for (std::size_t i = 0; i < content.blocks.size(); ++i) {
    const block& b = content.blocks[i];
    std::string code = b.code;
    const std::string function = "block_" + std::to_string(i);
    const bool whole = std::regex_search(code, has_main);
    // A whole program stays at global scope, under another name. Only a real main() returns by
    // itself; this one is last in its block.
    if (whole) code.insert(code.rfind('}'), "return 0;");
    out << (whole ? "#define main " + function + "\n" : "int " + function + "() {\n");
    // The compiler's messages then name the page.
    out << "#line " << b.line << " \"" << page_name << "\"\n" << code;
    out << (whole ? "#undef main\n" : "return 0;\n}\n");
  }
  out << "int main() {\n";
  for (std::size_t i = 0; i < content.blocks.size(); ++i) {
    out << "if (const int result = block_" << i << "()) return result;\n";
  }
  out << "}\n";
  return out.str();
}

}  // namespace structure
