// Loads and unloads a plug-in that is linked with the static library while threads live that have
// used it. The program's own malloc is another one. A handler of a signal that the plug-in took is
// gone with it; one that the program takes later stays. Free memory goes with the plug-in, too.
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <barrier>
#include <cstdlib>
#include <thread>
#include <vector>

#include "support/footprint.hpp"
#include "support/require.hpp"

using mallard_test::require;

namespace {

using handler = void (*)(int);

handler handler_of_faults() {
  struct sigaction now{};
  require(sigaction(SIGSEGV, nullptr, &now) == 0, "the action of a signal cannot be read");
  return now.sa_handler;
}

void handle_fault(int) {
  _exit(1);
}

void load_use_and_unload(bool takes_faults) {
  const handler before = handler_of_faults();
  void* const plugin = dlopen(MALLARD_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  require(plugin != nullptr, "the plug-in is not loaded");
  auto* const use = reinterpret_cast<int (*)()>(dlsym(plugin, "use_memory"));
  constexpr int count = 3;
  std::barrier meet(count + 1);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&] {
      require(use() == 1250, "the plug-in's memory is not what it should be");
      meet.arrive_and_wait();
      meet.arrive_and_wait();
    });
  }
  meet.arrive_and_wait();
  if (std::getenv("MALLARD_MALLOC") != nullptr) {
    require(handler_of_faults() != before, "the plug-in does not handle faults");
  }
  if (takes_faults) signal(SIGSEGV, handle_fault);
  require(dlclose(plugin) == 0, "the plug-in is not unloaded");
  require(dlopen(MALLARD_PLUGIN, RTLD_NOW | RTLD_NOLOAD) == nullptr, "the plug-in is still there");
  require(handler_of_faults() == (takes_faults ? handle_fault : before),
          "faults are not handled as the program wants");
  signal(SIGSEGV, before);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  int status = -1;
  require(waitpid(child, &status, 0) == child && status == 0, "the child has ended badly");
  meet.arrive_and_wait();
  for (std::thread& t : threads) t.join();
}

void load_fill_and_unload() {
  void* const plugin = dlopen(MALLARD_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  require(plugin != nullptr, "the plug-in is not loaded");
  reinterpret_cast<void (*)()>(dlsym(plugin, "use_much_memory"))();
  require(dlclose(plugin) == 0, "the plug-in is not unloaded");
}

void expect_little_to_stay() {
  constexpr std::size_t mib = std::size_t{1} << 20;
  constexpr std::size_t loads = 10;
  load_fill_and_unload();
  using mallard_test::status_bytes;
  const std::size_t resident = status_bytes("VmRSS");
  const std::size_t mapped = status_bytes("VmSize");
  for (std::size_t i = 0; i < loads; ++i) load_fill_and_unload();
  const std::size_t more = status_bytes("VmRSS") - resident;
  require(status_bytes("VmRSS") < resident + loads * 2 * mib, "memory that stays: ", more);
  const std::size_t more_mapped = status_bytes("VmSize") - mapped;
  require(more_mapped < loads * 20 * mib, "addresses that stay: ", more_mapped);
}

}  // namespace

int main() {
  expect_little_to_stay();
  for (int i = 0; i < 20; ++i) load_use_and_unload(i % 2 == 1);
}
