// The work of a measuring process: a kernel and its parameters.
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

// Circumstances that a kernel finds besides its work.
struct circumstances {
  std::span<std::byte> buffer;     // written to before the fork; mostly empty
  std::uint64_t hint = 0;          // of the first repetition
  std::uint64_t memory_limit = 0;  // remaining bytes of address space; 0: unlimited
};
using kernel_function = void (*)(const void* work, const circumstances& around, readings& taken);

// Work is copied as bytes: it owns nothing, and for an executed process it contains no addresses.
inline constexpr std::size_t most_work_bytes = 16384;

struct task {
  kernel_function run = nullptr;  // for a forked process, where it has the same address
  std::string name;               // an executed_kernel's, for an executed process
  std::vector<std::byte> work;
  std::string heap = {};         // the condition to fork from; empty: the contender's
  bool as_the_original = false;  // fork from a process prepared like the papers' programs
  bool prepares_itself = false;  // the kernel itself handles the heap and the peak of memory

  // Whether there is anything to do: not every contender has every kernel.
  explicit operator bool() const { return run || !name.empty(); }
};

// A kernel for one kind of work, found by the maker of the task.
template <class Work>
using kernel_of = void (*)(const Work& work, readings& taken);

template <class Work>
std::vector<std::byte> bytes_of(const Work& work) {
  static_assert(std::is_trivially_copyable_v<Work> && sizeof(Work) <= most_work_bytes);
  std::vector<std::byte> bytes(sizeof(Work));
  std::memcpy(bytes.data(), &work, sizeof(Work));
  return bytes;
}

// Returns: no task if there is no kernel.
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

// A kernel that a program started to measure finds by its name. Each bench that needs one has one
// with static storage; making it allocates nothing.
class executed_kernel {
 public:
  executed_kernel(const char* name, kernel_function run) : name_(name), run_(run), next_(first_) {
    first_ = this;
  }
  executed_kernel(const executed_kernel&) = delete;
  executed_kernel& operator=(const executed_kernel&) = delete;

  // Returns: null if there is none with this name.
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
