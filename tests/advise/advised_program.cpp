// Requests whose blocks die with them: advised_program REQUESTS [STATUS [ENTRIES]]. At its start it
// loads so many entries, which stay.
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <string>

namespace {

// A function with a name that can be found.
[[gnu::noinline]] std::size_t handle_request(std::size_t number) {
  std::list<std::string> words;
  for (std::size_t i = 0; i < 40; ++i) words.emplace_back(20 + (number + i) % 60, 'w');
  return words.back().size();
}

[[gnu::noinline]] void load_table(std::map<std::size_t, std::string>& table, std::size_t entries) {
  for (std::size_t i = 0; i < entries; ++i) table.emplace(i, std::string(40, 'e'));
}

}  // namespace

int main(int argc, char** argv) {
  const auto requests =
      argc > 1 ? static_cast<std::size_t>(std::strtoul(argv[1], nullptr, 10)) : 1000;
  std::map<std::size_t, std::string> table;
  load_table(table, argc > 3 ? static_cast<std::size_t>(std::strtoul(argv[3], nullptr, 10)) : 0);
  std::size_t sum = 0;
  for (std::size_t i = 0; i < requests; ++i) sum += handle_request(i);
  std::printf("of the program: %zu\n", sum);
  return argc > 2 ? std::atoi(argv[2]) : 0;
}
