// Purpose: the state of counting in this process: the shared memory, the samples, and data common
// to all threads.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "live/preload/sampled_blocks.hpp"
#include "live/session.hpp"
#include "preload/node_table.hpp"
#include "preload/stack_walk.hpp"
#include "unwind/rule_cache.hpp"

namespace mallard::live {

class process_state {
 public:
  // Effects: makes the memory at the first call. Returns: whether this process is counted.
  bool open() noexcept {
    return gate_.open_once([this] { return open_once(); });
  }
  // Adds hooks to a running program, or removes them. The counts stay.
  void attach() noexcept;
  void detach() noexcept;
  // Returns: a slot for this thread, or the slot of all threads without one.
  thread_counts* open_thread() noexcept;
  // Adds its counts to the total and frees the slot.
  void close_thread(thread_counts& slot) noexcept;
  bool is_others(const thread_counts* slot) const noexcept { return slot == &all->others; }

  // Adds a sample: `block` stands for so many bytes and blocks.
  void add_sample(const thread_counts& by, const unwind::frame_state& caller, const void* block,
                  std::uint64_t bytes, std::uint64_t blocks) noexcept;
  // Removes a freed block if it is a sample. put_back() undoes that if the free failed.
  sampled_block take_sample(const void* block) noexcept;
  void put_back(const sampled_block& one) noexcept;
  void count_freed(const sampled_block& one) noexcept;

  // A module was unloaded: its addresses may mean other functions now.
  void forget_addresses() noexcept;

  session* all = nullptr;
  sampled_blocks samples;

  // For the walk of stacks; the lock must be held.
  std::uint32_t find(std::uint64_t key) noexcept {
    return static_cast<std::uint32_t>(nodes_.find(key).number);
  }
  std::uint32_t add(std::uint64_t key, std::uint32_t parent, std::uint64_t ip,
                    std::uint64_t frame_address) noexcept;

 private:
  bool open_once() noexcept;
  std::uint64_t address_of(std::uint64_t ip) noexcept;
  std::uint32_t site_of(const thread_counts& by, const unwind::frame_state& caller) noexcept;
  void hook_new_modules() noexcept;
  static void after_fork() noexcept;

  preload::session_gate gate_;
  std::uint32_t hooked_modules_ = 0;  // see session_head
  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_key_t key_ = 0;
  unwind::rule_cache rules_;
  preload::node_table nodes_;
  preload::stack_walk* walks_ = nullptr;  // one for each slot
  char program_[path_bytes] = {};
};

extern process_state process;

}  // namespace mallard::live
