// A program whose allocations are known: counted_program WHAT [N]. It says "ready" and goes on to
// its end when it is told to (its input ends).
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

using block_list = std::vector<void*>;
constexpr std::size_t block_bytes = 100;

[[gnu::noinline]] void keep_some(block_list& kept, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) kept.push_back(std::malloc(block_bytes));
}

[[gnu::noinline]] void come_and_go(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    void* volatile block = std::malloc(block_bytes);
    std::free(block);
  }
}

[[gnu::noinline]] void grow(std::size_t count) {
  void* block = nullptr;
  for (std::size_t i = 1; i <= count; ++i) block = std::realloc(block, i);
  std::free(block);
}

void wait_to_be_told() {
  std::fputs("ready\n", stdout);
  std::fflush(stdout);
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const std::size_t count = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0;
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  block_list kept;
  kept.reserve(count);
  if (what == "keep") keep_some(kept, count);
  if (what == "free") come_and_go(count);
  if (what == "grow") grow(count);
  if (what == "thread") std::thread([=] { come_and_go(count); }).join();
  if (what == "keep_in_threads") {  // that end soon, one after the other
    for (std::size_t i = 0; i < count; i += 25) {
      std::thread([&] { keep_some(kept, 25); }).join();
    }
  }
  if (what == "pass") {  // to a thread that only frees
    keep_some(kept, count);
    std::thread([&] {
      for (void* const one : kept) std::free(one);
    }).join();
  }
  if (what == "fork") {
    const pid_t child = fork();
    if (child == 0) {
      come_and_go(count);
      std::thread([=] { come_and_go(count); }).join();
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  }
  if (what == "exec") {
    come_and_go(count);
    execl("/proc/self/exe", "counted_program", "keep", "7", nullptr);
  }
  if (what == "work") {
    for (;;) come_and_go(1000);
  }
  wait_to_be_told();
  return what == "status" ? static_cast<int>(count) : 0;
}
