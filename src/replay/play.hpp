// The loop that executes a lane's operations. Everything known in advance is in the operations.
// The rest is a branch on the verb, a table of pointers, and the measured calls.
//
// Own gets the subsystem's operations, Rest all others. Both have
//
//   void* allocate(std::size_t bytes, std::size_t alignment, bool zero, bool by_new);
//   void* reallocate(void* p, std::size_t old_bytes, std::size_t old_alignment, std::size_t bytes,
//                    std::size_t alignment);
//   void deallocate(void* p, std::size_t bytes, std::size_t alignment, bool by_new);
//   void end_epoch(bool winks);          // Own only
//   static constexpr bool has_memory;    // false: blocks are not touched
#pragma once

#include <sched.h>
#include <time.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "replay/program.hpp"
#include "replay/replay.hpp"
#include "replay/think.hpp"

namespace mallard::replay {

struct play_setting {
  touch_level touch = touch_level::none;
  bool winks = false;   // leaves out frees that are the last of their epoch
  bool waits = true;    // for blocks of other lanes; else the second lane to come frees them
  bool thinks = false;  // between operations, as long as they say
};

// The state of one lane.
struct lane_work {
  std::span<const operation> operations;
  void** slots = nullptr;
  const std::uint32_t* walks = nullptr;
  play_setting setting;
  thinker* think = nullptr;
  std::uint64_t done = 0;  // executed operations, with those left out by winking out
  std::uint64_t read = 0;  // a sum of the bytes read, so that the reads are not optimised away
  double waited = 0;       // processor seconds spent waiting for other lanes
};

namespace detail {

inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Marks a free that came before the block, if nobody waits.
inline void* freed_before() {
  static char mark;
  return &mark;
}

// Nobody wakes the waiting lane: that would cost the lane that brings the block. The waiting time
// is measured and not counted as the program's.
[[gnu::noinline]] inline void* await_long(void*& slot, double& waited) {
  constexpr unsigned yields = 200;
  constexpr timespec nap{0, 50'000};
  const std::atomic_ref<void*> there(slot);
  const double began = thread_seconds();
  void* p = nullptr;
  for (unsigned tries = 0; p == nullptr; ++tries) {
    // With fewer processors than lanes, the other lane needs this one's.
    if (tries < yields) {
      sched_yield();
    } else {
      nanosleep(&nap, nullptr);
    }
    p = there.load(std::memory_order_acquire);
  }
  waited += thread_seconds() - began;
  return p;
}

inline void* await(void*& slot, double& waited) {
  const std::atomic_ref<void*> there(slot);
  void* p = there.load(std::memory_order_acquire);
  for (unsigned tries = 0; p == nullptr && tries < 256; ++tries) {
    p = there.load(std::memory_order_acquire);
  }
  return p != nullptr ? p : await_long(slot, waited);
}

inline void write_block(touch_level touch, void* p, std::size_t from, std::size_t bytes) {
  if (touch == touch_level::none || bytes <= from) return;
  auto* const first = static_cast<unsigned char*>(p);
  if (touch == touch_level::first) {
    *static_cast<volatile unsigned char*>(first) = 1;
  } else {
    std::memset(first + from, 1, bytes - from);
    asm volatile("" : : "r"(p) : "memory");
  }
}

// Reads one byte of each line.
inline std::uint64_t read_block(touch_level touch, const void* p, std::size_t bytes) {
  if (touch < touch_level::all) return 0;
  const auto* const first = static_cast<const volatile unsigned char*>(p);
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < bytes; at += 64) sum += first[at];
  return sum;
}

}  // namespace detail

template <class Own, class Rest>
class player {
 public:
  player(lane_work& work, Own& own, Rest& rest) : work_(work), own_(own), rest_(rest) {}

  void run() {
    const play_setting setting = work_.setting;
    void** const slots = work_.slots;
    const operation* const end = work_.operations.data() + work_.operations.size();
    for (const operation* at = work_.operations.data(); at != end; ++at) {
      const operation one = *at;
      if (setting.thinks) work_.think->pass(one.think);
      switch (one.kind()) {
        case verb::allocate: {
          ++done_;
          void* const p = one.own() ? born(own_, one) : born(rest_, one);
          if (!one.handed()) [[likely]] {
            slots[one.slot] = p;
          } else if (hand_over(one, p)) {
            one.own() ? die(own_, one, p) : die(rest_, one, p);
          }
          break;
        }
        case verb::free: {
          ++done_;
          if (one.what & operation::last_bit && setting.winks) break;
          void* const p = one.handed() ? taken_over(one) : slots[one.slot];
          if (p == nullptr) break;
          one.own() ? die(own_, one, p) : die(rest_, one, p);
          break;
        }
        case verb::reallocate:
          ++done_;
          reallocate(one, *++at);
          break;
        case verb::old:
          break;
        case verb::end_epoch:
          own_.end_epoch(setting.winks);
          break;
        case verb::walk:
          if (Own::has_memory && setting.touch == touch_level::walk) walk(one);
          break;
      }
    }
    work_.done += done_;
    work_.read += read_;
  }

 private:
  template <class Memory>
  void* born(Memory& memory, const operation& one) {
    void* const p = memory.allocate(one.size(), one.alignment(),
                                    (one.what & operation::zero_bit) != 0, one.by_new());
    if constexpr (Memory::has_memory) {
      detail::write_block(work_.setting.touch, p, 0, one.size());
    }
    return p;
  }

  template <class Memory>
  void die(Memory& memory, const operation& one, void* p) {
    if constexpr (Memory::has_memory) {
      read_ += detail::read_block(work_.setting.touch, p, one.size());
    }
    memory.deallocate(p, one.size(), one.alignment(), one.by_new());
  }

  // Returns: whether it was already freed.
  bool hand_over(const operation& one, void* p) {
    const std::atomic_ref<void*> slot(work_.slots[one.slot]);
    if (work_.setting.waits) {
      slot.store(p, std::memory_order_release);
      return false;
    }
    return slot.exchange(p, std::memory_order_acq_rel) != nullptr;
  }

  // Returns: null if the block is not there yet; its lane then frees it.
  void* taken_over(const operation& one) {
    void*& slot = work_.slots[one.slot];
    if (work_.setting.waits) return detail::await(slot, work_.waited);
    return std::atomic_ref<void*>(slot).exchange(detail::freed_before(), std::memory_order_acq_rel);
  }

  void reallocate(const operation& one, const operation& old) {
    void* const before = old.handed() ? taken_over(old) : work_.slots[old.slot];
    void* const p = one.own() ? reborn(own_, one, old, before) : reborn(rest_, one, old, before);
    if (!one.handed()) {
      work_.slots[one.slot] = p;
    } else if (hand_over(one, p)) {
      one.own() ? die(own_, one, p) : die(rest_, one, p);
    }
  }

  template <class Memory>
  void* reborn(Memory& memory, const operation& one, const operation& old, void* before) {
    if (before == nullptr) return born(memory, one);
    void* const p =
        memory.reallocate(before, old.size(), old.alignment(), one.size(), one.alignment());
    if constexpr (Memory::has_memory) {
      detail::write_block(work_.setting.touch, p, old.size(), one.size());
    }
    return p;
  }

  void walk(const operation& one) {
    const std::uint32_t* const first = work_.walks + one.slot;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
      sum += *static_cast<const volatile unsigned char*>(work_.slots[first[i]]);
    }
    read_ += sum;
  }

  lane_work& work_;
  Own& own_;
  Rest& rest_;
  std::uint64_t done_ = 0;
  std::uint64_t read_ = 0;
};

}  // namespace mallard::replay
