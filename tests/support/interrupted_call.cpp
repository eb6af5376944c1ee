#include "support/interrupted_call.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <semaphore>
#include <utility>

#include "support/instrumented.hpp"
#include "support/require.hpp"

// The program's code, as linkers have it.
extern "C" {
extern unsigned char __executable_start;
extern unsigned char etext;
}

namespace mallard_test {
namespace {

#if defined(__x86_64__)
constexpr bool is_known_processor = true;

// A leaf function keeps data below the end of its stack.
void set_trap_flag() {
  asm volatile(
      "lea -128(%%rsp), %%rsp\n pushfq\n orq $0x100, (%%rsp)\n popfq\n lea 128(%%rsp), %%rsp" ::
          : "memory", "cc");
}

class stopped_thread {
 public:
  explicit stopped_thread(void* context)
      : registers_(static_cast<ucontext_t*>(context)->uc_mcontext.gregs) {}
  // The next one that it would run; behind a breakpoint that it has met.
  instruction next() const { return reinterpret_cast<instruction>(registers_[REG_RIP]); }
  void go_back_to(instruction at) { registers_[REG_RIP] = reinterpret_cast<greg_t>(at); }
  void stop_after_each(bool is_on) {
    constexpr greg_t trap_flag = 0x100;
    registers_[REG_EFL] =
        is_on ? registers_[REG_EFL] | trap_flag : registers_[REG_EFL] & ~trap_flag;
  }

 private:
  greg_t* registers_;
};
#else
constexpr bool is_known_processor = false;
void set_trap_flag() {}
struct stopped_thread {
  explicit stopped_thread(void*) {}
  instruction next() const { return nullptr; }
  void go_back_to(instruction) {}
  void stop_after_each(bool) {}
};
#endif
constexpr unsigned char breakpoint = 0xcc;

void prepare_breakpoints();

// The thread whose call is stopped, and why.
struct stops {
  // At all of its instructions, as far as there is room.
  explicit stops(std::vector<instruction>& to) : met(&to) { prepare_breakpoints(); }
  // At one, when it comes there for the `visit`th time.
  stops(instruction where, std::size_t visit) : at(where), original(*where), visits_left(visit) {
    prepare_breakpoints();
  }

  std::vector<instruction>* met = nullptr;

  instruction at = nullptr;
  unsigned char original = 0;
  std::size_t visits_left = 0;
  std::binary_semaphore stands_or_has_ended{0};
  std::atomic<bool> stands = false;
  std::atomic<bool> may_go_on = false;
  const std::function<void()>* in_handler = nullptr;

  void make(const std::function<void()>& call);
  void stand_still() {
    if (in_handler != nullptr) {
      stands = true;
      return (*in_handler)();
    }
    stands = true;
    stands_or_has_ended.release();
    // The other thread may wait for this one.
    constexpr timespec short_time{0, 20'000};
    for (int i = 0; i < 200 && !may_go_on; ++i) nanosleep(&short_time, nullptr);
  }
};
thread_local stops* here = nullptr;

void stops::make(const std::function<void()>& call) {
  here = this;
  if (met != nullptr) {
    set_trap_flag();
  } else {
    *at = breakpoint;
  }
  call();
  if (met == nullptr) *at = original;
  here = nullptr;  // with the trap flag, the next instruction is the last one at which it stops
}

void at_trap(int, siginfo_t* why, void* context) {
  stopped_thread thread(context);
  if (here == nullptr) {
    thread.stop_after_each(false);
  } else if (here->met != nullptr) {
    if (here->met->size() < here->met->capacity()) here->met->push_back(thread.next());
  } else if (why->si_code == TRAP_TRACE) {
    *here->at = breakpoint;  // behind the instruction, which was not the visit yet
    thread.stop_after_each(false);
  } else {
    thread.go_back_to(here->at);
    *here->at = here->original;
    if (--here->visits_left == 0) {
      here->stand_still();
    } else {
      thread.stop_after_each(true);
    }
  }
}

void handle_traps() {
  struct sigaction action = {};
  action.sa_sigaction = at_trap;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, nullptr);
}

void allow_breakpoints() {
  static bool is_done = false;
  if (std::exchange(is_done, true)) return;
  const auto page = static_cast<std::uintptr_t>(getpagesize());
  const auto begin = reinterpret_cast<std::uintptr_t>(&__executable_start) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(&etext);
  require(mprotect(reinterpret_cast<void*>(begin), end - begin,
                   PROT_READ | PROT_WRITE | PROT_EXEC) == 0,
          "code cannot be written to, from: ", begin);
}

void prepare_breakpoints() {
  handle_traps();
  allow_breakpoints();
}

}  // namespace

bool can_interrupt_calls() {
  return is_known_processor && !instrumented;
}

std::vector<instruction> instructions_of(stepped_threads& threads, std::size_t thread,
                                         const std::function<void()>& call) {
  std::vector<instruction> met;
  met.reserve(1'000'000);
  stops stop(met);
  threads.run(thread, [&] { stop.make(call); });
  std::sort(met.begin(), met.end());
  met.erase(std::unique(met.begin(), met.end()), met.end());
  std::erase_if(met, [](instruction i) { return i < &__executable_start || i >= &etext; });
  return met;
}

bool run_interrupted(stepped_threads& threads, std::size_t thread, instruction at,
                     std::size_t visit, const std::function<void()>& call,
                     const std::function<void()>& meanwhile) {
  stops stop(at, visit);
  threads.start(thread, [&] {
    stop.make(call);
    if (!stop.stands) stop.stands_or_has_ended.release();
  });
  stop.stands_or_has_ended.acquire();
  std::exception_ptr failure;
  if (stop.stands) {
    try {
      meanwhile();
    } catch (...) {
      failure = std::current_exception();
    }
    stop.may_go_on = true;
  }
  threads.wait_for(thread);
  if (failure != nullptr) std::rethrow_exception(failure);
  return stop.stands;
}

bool run_with_handler(stepped_threads& threads, std::size_t thread, instruction at,
                      std::size_t visit, const std::function<void()>& call,
                      const std::function<void()>& in_handler,
                      const std::function<void()>& afterwards) {
  stops stop(at, visit);
  stop.in_handler = &in_handler;
  threads.run(thread, [&] {
    stop.make(call);
    afterwards();
  });
  return stop.stands;
}

}  // namespace mallard_test
