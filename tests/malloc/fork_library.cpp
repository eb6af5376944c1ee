// A library whose constructor registers handlers of fork before the malloc's own constructor runs.
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>

namespace {

std::atomic<bool> allocates{false};
std::atomic<int> allocated{0};
std::atomic<bool> takes_its_time{false};

void allocate() {
  if (!allocates) return;
  // Too many for what a thread has at hand, so that locks are asked for.
  std::array<void*, 1000> blocks{};
  for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = std::malloc(i % 10 == 0 ? 9'000 : 70);
  for (void* p : blocks) std::free(p);
  std::free(std::malloc(3'000'000));
  ++allocated;
}

void before_fork() {
  if (takes_its_time) usleep(20'000);
  allocate();
}

[[gnu::constructor(101)]] void prepare() {
  pthread_atfork(before_fork, allocate, allocate);
}

}  // namespace

extern "C" [[gnu::visibility("default")]] void allocate_in_fork_handlers(bool on) {
  allocates = on;
}
// A wait while the malloc is ready for the fork.
extern "C" [[gnu::visibility("default")]] void wait_in_fork_handlers(bool on) {
  takes_its_time = on;
}
extern "C" [[gnu::visibility("default")]] int allocating_fork_handlers_called() {
  return allocated;
}
