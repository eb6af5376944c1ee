// The drop-in malloc by pkg-config: the program's blocks are its own.
#include <cstdlib>
#include <memory>

#include "mallard/malloc/malloc.h"

int main() {
  const std::unique_ptr<int> one(new int(1));
  void* const block = std::malloc(100);
  const bool whole = block != nullptr && *one == 1 && mallard_stats_json(nullptr, 0) != 0;
  std::free(block);
  return whole ? 0 : 1;
}
