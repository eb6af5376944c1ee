// Writes a program with every piece of C++ that `mallard advise` may give, each as a function.
#include <fstream>
#include <sstream>
#include <string>

#include "advise/code.hpp"

namespace {

using namespace mallard::advise;

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::string includes, functions, calls;
  int number = 0;
  for (const mallard::strategy_facts& facts : mallard::strategies) {
    const mallard::strategy how = facts.is;
    if (!mallard::has_resource(how)) continue;
    for (const unsigned bytes : {0u, 64u, 4096u, 1u << 20}) {
      for (const bool winked : {false, true}) {
        if (winked && how == mallard::strategy::adaptive_pool) continue;
        candidate one;
        one.how = how;
        one.first_bytes = bytes;
        one.may_wink_out = winked;
        one.one_for_each_thread = bytes == 64;
        if (bytes == 4096) one.kept_by = {"g(int*/ \\\n)"};
        // Names end no remark.
        one.where = {"s", "f(int*/ \\\n)", "a.cpp", 1, bytes == 0 ? "" : "std::pair<int, order>\n"};
        if (bytes == 64) one.where.container = {"vector", "order*/ \\\n"};
        if (bytes == 4096) {
          one.where.container = {winked ? "unique_ptr" : "shared_ptr", "order*/ \\\n"};
        }
        if (bytes == 0) {
          one.where.container = {winked ? "string" : "unordered_multimap",
                                 winked ? "" : "unsigned long, std::vector<std::string>"};
          one.where.others = {{{"map", "order*/ \\\n"}, "b.cpp*/ \\\n", 3},
                              {{"set", "int"}, "", 0}};
        }
        if (winked) one.where.change = changed_line{3, "std::vector<order> a; \\", "std::pmr::x;"};
        one.where.calls_malloc = bytes == 1u << 20;
        if (bytes == 4096) one.loop = code_lines{"/src/a.cpp", 3, 9};
        const std::string name = "advised_" + std::to_string(number++);
        functions += "void " + name + "() {\n";
        std::istringstream code(code_for(one, "./program"));
        for (std::string line; std::getline(code, line);) {
          (line.starts_with("#include") ? includes : functions) += line + '\n';
        }
        functions += "}\n";
        calls += "  " + name + "();\n";
      }
    }
  }
  std::ofstream out(argv[1]);
  out << includes << functions << "int main() {\n" << calls << "}\n" << std::flush;
  return out ? 0 : 1;
}
