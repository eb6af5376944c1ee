// Loads and unloads a plug-in that is linked with the static library while threads live that have
// used it. The program's own malloc is another one.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <barrier>
#include <thread>
#include <vector>

#include "support/require.hpp"

using mallard_test::require;

namespace {

void load_use_and_unload() {
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
  require(dlclose(plugin) == 0, "the plug-in is not unloaded");
  require(dlopen(MALLARD_PLUGIN, RTLD_NOW | RTLD_NOLOAD) == nullptr, "the plug-in is still there");
  const pid_t child = fork();
  if (child == 0) _exit(0);
  int status = -1;
  require(waitpid(child, &status, 0) == child && status == 0, "the child has ended badly");
  meet.arrive_and_wait();
  for (std::thread& t : threads) t.join();
}

}  // namespace

int main() {
  for (int i = 0; i < 20; ++i) load_use_and_unload();
}
