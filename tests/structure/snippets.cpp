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

bool is_header(const std::string& path) {
  return path.ends_with(".hpp");
}

// The header's first comment as a page: lines between examples become fences, so that each line
// keeps its number.
std::string page_of_header(const std::string& path, const std::string& header) {
  std::vector<std::string> lines;
  std::istringstream in(header);
  for (std::string line; std::getline(in, line) && line != "#pragma once";) lines.push_back(line);
  const auto is_example = [&](std::size_t i) {
    return i < lines.size() && lines[i].starts_with("//   ");
  };
  std::string out;
  bool inside = false;
  for (std::size_t i = 0; i <= lines.size(); ++i) {
    const bool begins = !inside && is_example(i + 1);
    const bool ends = inside && !is_example(i) && !is_example(i + 1);
    if (begins || ends) inside = begins;
    out += is_example(i) ? lines[i].substr(5) : begins ? "```cpp" : ends ? "```" : "";
    out += '\n';
  }
  if (out.find("```") == out.npos) throw std::runtime_error(path + ": has no example");
  return out;
}

// A header's own name is behind "include/".
std::set<std::string> includes_of_header(const std::string& path) {
  std::set<std::string> out = {"#include \"mallard/mallard.hpp\"",
                               "#include \"" + path.substr(path.rfind("mallard/")) + "\""};
  for (const char* name :
       {"cassert", "coroutine", "cstdio", "cstring", "fstream", "list", "map", "memory", "numeric",
        "set", "string", "thread", "unordered_map", "unordered_set", "utility", "vector"}) {
    out.insert(std::string("#include <") + name + ">");
  }
  return out;
}

// "map" of "docs/map.md".
std::string name_of(const std::string& path) {
  const auto begin = path.rfind('/') + 1;  // 0 when there is none
  return path.substr(begin, path.find('.', begin) - begin);
}

// The page's namespace: '-' may not be in a name.
std::string namespace_of(const std::string& path) {
  std::string name = "page_" + name_of(path);
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

void write_page(std::ostream& out, const std::string& path, const page& content) {
  static const std::regex has_main(R"((^|\n)\s*(int|auto)\s+main\s*\()");
  // A template of ours is specialised outside of the page's namespace.
  static const std::regex specialises(R"((^|\n)\s*template\s*<\s*>)");
  const std::string open = "namespace " + namespace_of(path) + " {\n";
  std::ostringstream calls;
  out << open;
  for (std::size_t i = 0; i < content.blocks.size(); ++i) {
    const block& b = content.blocks[i];
    std::string code = b.code;
    const bool outside = std::regex_search(code, specialises);
    const std::string function =
        (outside ? namespace_of(path) + "_block_" : "block_") + std::to_string(i);
    calls << "if (const int result = run_block(" << function << ")) return result;\n";
    if (outside) out << "}\n";
    const bool whole = std::regex_search(code, has_main);
    // Only a real main() returns by itself; this one is last in its block.
    if (whole) code.insert(code.rfind('}'), "return 0;");
    out << (whole ? "#define main " + function + "\n" : "int " + function + "() {\n");
    // The compiler's messages then name the page.
    out << "#line " << b.line << " \"" << path << "\"\n" << code;
    out << (whole ? "#undef main\n" : "return 0;\n}\n");
    if (outside) out << open;
  }
  out << "int run() {\n" << calls.str() << "return 0;\n}\n}\n";
}

}  // namespace

namespace {

// A main() may ask for the words of its command line: there is its name alone.
constexpr const char* run_block = R"(template <class Block>
int run_block(Block& block) {
  char name[] = "example";
  char* words[] = {name, nullptr};
  if constexpr (requires { block(1, words); }) return block(1, words);
  else return block();
}
)";

}  // namespace

std::string program_of_pages(const std::vector<std::pair<std::string, std::string>>& pages) {
  std::set<std::string> includes = {"#include <string_view>"};
  std::ostringstream blocks;
  std::ostringstream calls;
  for (const auto& [path, markdown] : pages) {
    page content = read_page(path, is_header(path) ? page_of_header(path, markdown) : markdown);
    if (is_header(path)) content.includes.merge(includes_of_header(path));
    includes.insert(content.includes.begin(), content.includes.end());
    write_page(blocks, path, content);
    calls << "if (name == \"" << name_of(path) << "\") return " << namespace_of(path)
          << "::run();\n";
  }
  std::ostringstream out;
  for (const std::string& include : includes) out << include << "\n";
  out << run_block << blocks.str() << "int main(int count, char** words) {\n"
      << "const std::string_view name = count == 2 ? words[1] : \"\";\n"
      << calls.str() << "return 2;\n}\n";
  return out.str();
}

}  // namespace structure
