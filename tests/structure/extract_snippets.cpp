// extract_snippets PAGE.md PROGRAM.cpp: writes the program made of a page's examples.
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>

#include "structure/snippets.hpp"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: extract_snippets PAGE.md PROGRAM.cpp\n");
    return 2;
  }
  try {
    std::ifstream in(argv[1]);
    if (!in) throw std::runtime_error(std::string("cannot read ") + argv[1]);
    const std::string markdown(std::istreambuf_iterator<char>(in), {});
    std::ofstream out(argv[2]);
    out << structure::program_of_page(argv[1], markdown);
    if (!out.flush()) throw std::runtime_error(std::string("cannot write ") + argv[2]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "extract_snippets: %s\n", e.what());
    return 1;
  }
}
