// extract_snippets PROGRAM.cpp PAGE...: writes the program made of the examples of pages or
// headers.
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "structure/snippets.hpp"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: extract_snippets PROGRAM.cpp PAGE...\n");
    return 2;
  }
  try {
    std::vector<std::pair<std::string, std::string>> pages;
    for (int i = 2; i < argc; ++i) {
      std::ifstream in(argv[i]);
      if (!in) throw std::runtime_error(std::string("cannot read ") + argv[i]);
      pages.emplace_back(argv[i], std::string(std::istreambuf_iterator<char>(in), {}));
    }
    std::ofstream out(argv[1]);
    out << structure::program_of_pages(pages);
    if (!out.flush()) throw std::runtime_error(std::string("cannot write ") + argv[1]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "extract_snippets: %s\n", e.what());
    return 1;
  }
}
