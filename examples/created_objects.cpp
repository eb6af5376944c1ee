// A server's request: objects with destructors in an arena, which destroys them when it is done.
#include <cstdio>
#include <string>

#include "mallard/create.hpp"
#include "mallard/mark_scope.hpp"
#include "mallard/monotonic.hpp"

namespace {

struct connection {
  explicit connection(int& open_connections) : open(open_connections) { ++open; }
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;
  ~connection() { --open; }
  int& open;
};

struct request {
  std::string text;  // in the global heap
  connection* from;
};

}  // namespace

int main() {
  int open = 0;
  mallard::monotonic_resource arena;
  mallard::create<connection>(arena, open);  // for the whole run
  for (int i = 0; i < 1000; ++i) {
    const mallard::mark_scope scope(arena);
    auto& asked = *mallard::create<request>(arena);
    asked.text.assign(100, 'x');
    asked.from = mallard::own(arena, new connection(open));  // a factory's, from the heap
    if (open != 2) return 1;
  }  // each scope destroys what was created in it
  std::printf("%d connection open, %zu bytes held\n", open, arena.stats().reserved_bytes);
  arena.release();
  std::printf("%d after the release\n", open);
  return open;
}
