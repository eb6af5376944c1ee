// The same with the buffer inside the resource; it may be too small.
#include <memory_resource>
#include <string>
#include <vector>

#include <mallard/mallard.hpp>

static std::size_t longest(int lines) {
  mallard::buffered_resource<1024> arena;
  std::pmr::vector<std::pmr::string> all(&arena);
  for (int i = 0; i < lines; ++i) all.emplace_back(static_cast<std::size_t>(i), '-');
  std::size_t most = 0;
  for (const auto& line : all) most = line.size() > most ? line.size() : most;
  return most;
}

int main() {
  return longest(3) == 2 && longest(300) == 299 ? 0 : 1;
}
