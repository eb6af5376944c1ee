// A program with a malloc inside, as some link one statically.
#include <unistd.h>

#include <cstddef>

namespace {
alignas(16) char memory[1 << 20];
std::size_t used = 0;
}  // namespace

extern "C" void* malloc(std::size_t bytes) noexcept {
  char* const block = memory + used;
  used += (bytes + 15) & ~std::size_t{15};
  return block;
}
extern "C" void free(void*) noexcept {}

int main(int argc, char** argv) {
  void* const block = malloc(10);
  asm volatile("" ::"r"(block) : "memory");
  free(block);
  if (argc > 1 && argv[1][0] == 'w') pause();  // until somebody ends it
}
