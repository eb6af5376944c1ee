// A plug-in with a malloc to itself.
#include <cstdlib>
#include <cstring>

extern "C" int use_memory() {
  int good = 0;
  for (std::size_t bytes = 1; bytes < 20'000; bytes += 16) {
    auto* const p = static_cast<unsigned char*>(std::malloc(bytes));
    if (p == nullptr) continue;
    std::memset(p, 0x5c, bytes);
    good += p[bytes - 1] == 0x5c ? 1 : 0;
    std::free(p);
  }
  return good;
}

// Many at once.
extern "C" void use_much_memory() {
  constexpr std::size_t count = 100'000;
  auto** const blocks = static_cast<void**>(std::malloc(count * sizeof(void*)));
  for (std::size_t i = 0; i < count; ++i) blocks[i] = std::memset(std::malloc(100), 1, 100);
  for (std::size_t i = 0; i < count; ++i) std::free(blocks[i]);
  std::free(blocks);
}
