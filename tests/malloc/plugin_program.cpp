// Loads and unloads a plug-in that is linked with the static library while threads live that have
// used it. The program's own malloc is another one. A handler of a signal that the plug-in took is
// gone with it; one that the program takes later stays.
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <barrier>
#include <cstdlib>
#include <thread>
#include <vector>

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

}  // namespace

int main() {
  for (int i = 0; i < 20; ++i) load_use_and_unload(i % 2 == 1);
}
