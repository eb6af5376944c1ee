// A process that has been brought into a condition once and then forks a fresh copy of itself for
// each repetition: all of them start from exactly the same heap.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>

#include "lab/child.hpp"
#include "lab/outcome.hpp"

namespace mallard::lab {

enum class heap_state {
  clean,
  aged,            // aged and settled
  aged_unsettled,  // aged, as the original leaves it
};

class zygote {
 public:
  // Forks, and waits until the heap is in its state. The calling process must be single-threaded.
  // Throws std::runtime_error.
  // `paper_buffer_bytes`: size of the original's one buffer, written to before any measurement.
  explicit zygote(heap_state heap, std::size_t paper_buffer_bytes = 0);
  ~zygote();  // ends the process and whatever it is measuring
  zygote(const zygote&) = delete;
  zygote& operator=(const zygote&) = delete;

  // Measures in a forked process and waits for it. A crash, a timeout or an exhausted memory there
  // is an error in the outcome. When a signal interrupts the wait, `interrupted` asks whether to
  // give up; the outcome then is an error too.
  // A job can be copied byte by byte, has `timeout_seconds`, names the type `measured`, and is done
  // by measure_repetition(const Job&, std::span<std::byte> paper_buffer).
  template <class Job>
  basic_outcome<typename Job::measured> run(const Job& what, bool (*interrupted)()) {
    using outcome_type = basic_outcome<typename Job::measured>;
    static_assert(std::is_trivially_copyable_v<Job> && std::is_trivially_copyable_v<outcome_type>);
    static_assert(sizeof(Job) <= largest_message && sizeof(outcome_type) <= largest_message);
    const errand sent{.perform =
                          [](const void* job, std::span<std::byte> paper_buffer, void* result) {
                            *static_cast<outcome_type*>(result) =
                                measure_repetition(*static_cast<const Job*>(job), paper_buffer);
                          },
                      .fail =
                          [](void* result, std::string_view why) {
                            *static_cast<outcome_type*>(result) = {};
                            static_cast<outcome_type*>(result)->fail(why);
                          },
                      .timeout_seconds = what.timeout_seconds,
                      .job_bytes = sizeof(Job),
                      .outcome_bytes = sizeof(outcome_type)};
    outcome_type result;
    run(sent, &what, &result, interrupted);
    return result;
  }

 private:
  static constexpr std::size_t largest_message = 1024;

  // A job without its type. The functions are at the same addresses in a forked process.
  struct errand {
    void (*perform)(const void* job, std::span<std::byte> paper_buffer, void* result);
    void (*fail)(void* result, std::string_view why);
    double timeout_seconds;
    std::size_t job_bytes;
    std::size_t outcome_bytes;
  };

  void run(const errand& sent, const void* job, void* result, bool (*interrupted)());
  [[noreturn]] static void serve(int channel, heap_state heap, std::size_t paper_buffer_bytes);
  static void run_in_child(const errand& what, const void* job, std::span<std::byte> paper_buffer,
                           void* result);
  void stop() noexcept;

  pid_t process_ = -1;
  int channel_ = -1;
};

}  // namespace mallard::lab
