// A tree of settings that is built once and then read-only: whoever writes to it by mistake is
// stopped at that very instruction, and not found days later. Changes are made in a scope.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <memory_resource>
#include <string>
#include <string_view>

#include "mallard/memory/protected.hpp"
#include "mallard/monotonic.hpp"

namespace {

struct node {
  using allocator_type = std::pmr::polymorphic_allocator<>;
  explicit node(allocator_type a) : value(a), below(a) {}

  std::pmr::string value;
  std::pmr::map<std::pmr::string, node, std::less<>> below;

  // Reading finds what is there; only a name that is new is a change.
  node& operator[](std::string_view name) {
    const auto at = below.find(name);
    if (at != below.end()) return at->second;
    return below[std::pmr::string(name, below.get_allocator())];
  }
};

// True when the write kills the process that tries it.
template <class Write>
bool is_stopped(Write&& write) {
  const pid_t child = fork();
  if (child == 0) {
    write();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status != 0;
}

}  // namespace

int main() {
  mallard::protected_resource memory;
  mallard::monotonic_resource arena(&memory);
  // In the arena itself, and never destroyed: its memory is.
  node& settings = *std::pmr::polymorphic_allocator<>(&arena).new_object<node>();
  settings["server"]["host"].value = "a host with a name that is quite long";
  settings["server"]["port"].value = "8080";
  memory.protect();

  std::printf("port %s\n", settings["server"]["port"].value.c_str());  // reading is as ever
  const bool stopped = is_stopped([&] { settings["server"]["port"].value = "80"; });
  {
    const mallard::write_scope change(memory);
    settings["server"]["port"].value = "9090";
  }
  const bool stopped_again = is_stopped([&] { settings["server"]["port"].value = "80"; });
  std::printf("port %s, %zu KiB protected\n", settings["server"]["port"].value.c_str(),
              memory.stats().usable_bytes / 1024);
  const bool right = settings["server"]["port"].value == "9090";
  memory.unprotect();  // the arena gives its memory back
  return stopped && stopped_again && right ? 0 : 1;
}
