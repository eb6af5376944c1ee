// Work of a measuring process: a kernel and its parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "lab/measuring/readings.hpp"

namespace mallard::lab {

// Circumstances that a kernel finds beside its work.
struct circumstances {
  std::span<std::byte> buffer;     // written to before the process was forked; mostly none
  std::uint64_t hint = 0;          // readings::hint of the first repetition
  std::uint64_t memory_limit = 0;  // bytes of address space that are left; 0: all
};
using kernel_function = void (*)(const void* work, const circumstances& around, readings& taken);

// Work is copied byte by byte: it has no owning members, and for a process that is executed no
// addresses.
inline constexpr std::size_t most_work_bytes = 16384;

struct task {
  kernel_function run = nullptr;  // for a forked process, which has it at the same address
  std::string name;               // for an executed one: of an executed_kernel
  std::vector<std::byte> work;
  std::string heap = {};         // the condition to fork from, where it is not the contender's
  bool as_the_original = false;  // from a process prepared as the papers' programs were
  bool prepares_itself = false;  // the kernel sees to the heap and the peak of memory itself

  // Whether there is anything to do: not every contender has every kernel.
  explicit operator bool() const { return run || !name.empty(); }
};

// A kernel for one kind of work, found by whoever made the task.
template <class Work>
using kernel_of = void (*)(const Work& work, readings& taken);

template <class Work>
std::vector<std::byte> bytes_of(const Work& work) {
  static_assert(std::is_trivially_copyable_v<Work> && sizeof(Work) <= most_work_bytes);
  std::vector<std::byte> bytes(sizeof(Work));
  std::memcpy(bytes.data(), &work, sizeof(Work));
  return bytes;
}

// No task when there is no kernel.
template <class Work>
task make_task(kernel_of<Work> run, const Work& work) {
  struct both {
    kernel_of<Work> run;
    Work work;
  };
  if (!run) return {};
  task made;
  made.run = [](const void* bytes, const circumstances&, readings& taken) {
    const both& what = *static_cast<const both*>(bytes);
    what.run(what.work, taken);
  };
  made.work = bytes_of(both{run, work});
  return made;
}

// A kernel that a program started to measure finds by its name. One for each bench that needs it,
// with static storage; making one allocates nothing.
class executed_kernel {
 public:
  executed_kernel(const char* name, kernel_function run) : name_(name), run_(run), next_(first_) {
    first_ = this;
  }
  executed_kernel(const executed_kernel&) = delete;
  executed_kernel& operator=(const executed_kernel&) = delete;

  // Null when there is none of that name.
  static kernel_function find(std::string_view name) {
    for (const executed_kernel* one = first_; one; one = one->next_) {
      if (one->name_ == name) return one->run_;
    }
    return nullptr;
  }

 private:
  std::string_view name_;
  kernel_function run_;
  const executed_kernel* next_;
  inline static const executed_kernel* first_ = nullptr;
};

}  // namespace mallard::lab
