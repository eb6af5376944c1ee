// Messages to and from a measuring process, whether forked or executed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measuring/readings.hpp"
#include "lab/measuring/task.hpp"

namespace mallard::lab {

// Limits of one measurement.
struct measuring_limits {
  std::uint64_t memory_limit = 0;  // bytes of address space; 0: unlimited
  double timeout_seconds = 300;
  std::uint64_t hint = 0;
  bool copies_heap = false;  // the heap is inherited and its pages will be written to
};

// Followed by the bytes of the work.
struct errand {
  kernel_function run = nullptr;
  std::array<char, 32> name{};
  measuring_limits limits;
  bool prepares_itself = false;
  std::uint32_t work_bytes = 0;
};

// The head of an answer, followed by the readings.
struct answer_head {
  std::array<char, 160> error{};    // empty: good
  std::array<char, 256> library{};  // the file from which an executed program has its malloc
  std::uint64_t checksum = 0;
  std::uint64_t hint = 0;
  std::uint64_t count = 0;

  void fail(std::string_view why);
};

// An answer, or the reason why there is none.
struct outcome {
  std::string error;  // empty: good
  std::string library;
  std::vector<reading> taken;
  std::uint64_t checksum = 0;
  std::uint64_t hint = 0;

  bool ok() const { return error.empty(); }
  bool has(std::string_view name, std::int64_t part = reading::whole) const;
  // Returns: 0 if there is none.
  double value_of(std::string_view name, std::int64_t part = reading::whole) const;
};
outcome failed_outcome(std::string why);

// Returns: false if the channel is gone.
bool send_errand(int channel, const task& what, const measuring_limits& limits);
// Called in the measuring process. Never throws: an exception becomes the answer's error. Adds the
// peak of the resident set, "rss", unless the kernel has read it itself.
void perform(const errand& what, kernel_function run, const void* work, std::span<std::byte> buffer,
             readings& taken, answer_head& answer) noexcept;
bool send_answer(int channel, answer_head answer, std::span<const reading> taken);
// Returns: nothing if the channel ends before the answer.
std::optional<outcome> receive_answer(int channel, bool (*give_up)() = nullptr);

}  // namespace mallard::lab
