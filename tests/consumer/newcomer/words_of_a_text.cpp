// Words and how often they occur; the map, its nodes and its strings go at once.
#include <map>
#include <memory_resource>
#include <sstream>
#include <string>

#include <mallard/mallard.hpp>

int main() {
  mallard::monotonic_resource arena;
  std::pmr::map<std::pmr::string, int> counts(&arena);
  std::istringstream text(
      "the cat sat on the mat because the mat was incomprehensibly comfortable");
  for (std::string word; text >> word;) ++counts[std::pmr::string(word, &arena)];
  return counts["the"] == 3 && counts.size() == 9 ? 0 : 1;
}
