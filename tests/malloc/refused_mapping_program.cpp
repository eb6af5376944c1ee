// A program some of whose mappings are refused: malloc returns null then, and what it returned
// before stays whole. The linker puts this mmap between the malloc and the system (--wrap).
#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

// In the mean one call in so many is refused, in no order that a caller's own could meet.
unsigned one_in = 0;  // 0: none is
unsigned long long random_state = 1;
unsigned long refused = 0;

bool is_refused() {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return one_in != 0 && (random_state >> 33) % one_in == 0;
}

}  // namespace

extern "C" {
void* __real_mmap(void*, size_t, int, int, int, off_t);
void* __wrap_mmap(void* p, size_t bytes, int protection, int flags, int fd, off_t offset) {
  if (is_refused()) {
    ++refused;
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return __real_mmap(p, bytes, protection, flags, fd, offset);
}
}

int main(int argc, char** argv) {
  one_in = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 2;
  constexpr std::size_t count = 3000;
  constexpr std::size_t sizes[] = {24, 1000, 40'000, 300'000, 3'000'000};
  static unsigned char* blocks[count];
  std::size_t served = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t bytes = sizes[i % 5];
    blocks[i] = static_cast<unsigned char*>(std::malloc(bytes));
    if (blocks[i] == nullptr) continue;
    ++served;
    blocks[i][0] = blocks[i][bytes - 1] = static_cast<unsigned char>(i);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (blocks[i] == nullptr) continue;
    const unsigned char expected = static_cast<unsigned char>(i);
    if (blocks[i][0] != expected || blocks[i][sizes[i % 5] - 1] != expected) {
      std::puts("a block was overwritten");
      return 1;
    }
    std::free(blocks[i]);
  }
  if (refused == 0 || served == 0) {
    std::printf("%lu mappings were refused, %zu blocks served\n", refused, served);
    return 1;
  }
}
