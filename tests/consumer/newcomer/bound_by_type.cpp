// Containers bound by type, copied, moved and swapped; names that are short.
#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include <mallard/mallard.hpp>

using pool_type = mallard::multipool_resource;
template <class T>
using alloc = mallard::allocator<T, pool_type>;

int main() {
  pool_type pool;
  std::unordered_set<int, std::hash<int>, std::equal_to<>, alloc<int>> ids(&pool);
  for (int i = 0; i < 1000; ++i) ids.insert(i);
  auto copy = ids;
  auto moved = std::move(ids);
  std::swap(copy, moved);

  std::vector<int, alloc<int>> numbers(copy.begin(), copy.end(), &pool);
  mallard::typed::map<int, double, pool_type> values(&pool);
  mallard::typed::string<pool_type> text("a text that is too long to be stored inside", &pool);
  auto names = mallard::bind<std::vector<std::string>>(pool);
  values[1] = 2.5;
  names.emplace_back(text);
  return numbers.size() == 1000 && values.at(1) == 2.5 && names[0].size() == 43 ? 0 : 1;
}
