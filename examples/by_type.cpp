// Counts words in a map whose nodes and keys live in one pool, bound by type: every allocation is
// inlined into the container.
#include <cstdio>
#include <functional>
#include <map>
#include <scoped_allocator>
#include <string>
#include <string_view>

#include "mallard/allocator.hpp"
#include "mallard/multipool.hpp"

template <class T>
using pooled = mallard::allocator<T, mallard::multipool_resource>;
using word = std::basic_string<char, std::char_traits<char>, pooled<char>>;
using counts = std::map<word, int, std::less<>,
                        std::scoped_allocator_adaptor<pooled<std::pair<const word, int>>>>;

int main() {
  mallard::multipool_resource pool;
  counts seen(&pool);
  for (std::string_view text : {"an incomprehensibilities of words", "an arena", "an arena"}) {
    seen.try_emplace(word(text, &pool), 0).first->second++;
  }
  for (const auto& [text, count] : seen) std::printf("%d %s\n", count, text.c_str());
  std::printf("%zu bytes in use of %zu held\n", pool.stats().in_use_bytes,
              pool.stats().reserved_bytes);
  return seen.size() == 2 ? 0 : 1;
}
