#include "lab/measuring/memory_limit.hpp"

#include <sys/resource.h>

namespace mallard::lab {

void limit_memory(std::uint64_t bytes) {
  if (bytes == 0) return;
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_AS, &limit);
}

}  // namespace mallard::lab
