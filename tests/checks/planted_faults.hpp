// Programs that each have one fault, and the same programs without.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <string>
#include <vector>

#include "mallard/checks/guard_resource.hpp"
#include "mallard/checks/test_resource.hpp"

namespace planted {

using mallard::test_fault;

// A program's resources. Blocks come from a monotonic resource, so that the leaks made here are
// no leaks of the test.
struct bench {
  std::pmr::monotonic_buffer_resource ground;
  std::vector<test_fault> faults;
  mallard::test_handler note() {
    return [this](const mallard::test_report& r) { faults.push_back(r.fault); };
  }
  mallard::test_resource memory{{.name = "memory"}, note(), &ground};
  mallard::test_resource other{{.name = "other"}, note(), &ground};

  void* get(std::size_t bytes, std::size_t alignment = 8) {
    return memory.allocate(bytes, alignment);
  }
  void put(void* p, std::size_t bytes, std::size_t alignment = 8) {
    memory.deallocate(p, bytes, alignment);
  }
};

struct program {
  std::string name;
  test_fault expected{};
  bool crashes = false;  // the fault stops the program: it runs in a process of its own
  void (*run)(bench& b, bool plant) = nullptr;
  bool sanitizers_stop = false;  // they find it themselves, at the instruction
};

std::vector<program> all_programs();

void add_writes(std::vector<program>& to);   // overruns, underruns, use after free
void add_givings(std::vector<program>& to);  // what is given back wrongly, or not at all
void add_bindings(
    std::vector<program>& to);               // what comes from where it should not, and winking out
void add_guarded(std::vector<program>& to);  // what pages that fault find

}  // namespace planted
