// A library that is loaded and unloaded.
#include <cstddef>
#include <cstdlib>

extern "C" void* allocate_some(std::size_t bytes) {
  void* const block = malloc(bytes);
  asm volatile("" ::"r"(block) : "memory");
  return block;
}
