// Predicts the next event for the coder, from the events of the chunk so far.
//
// Programs repeat themselves: the same stacks follow one another, a stack asks for the size it
// asked for before, malloc gives out the block of a size that was freed last, and the block freed
// is the newest one of the stack whose blocks were freed there before. The encoder says for each
// event which of these guesses is right and writes only the rest; the decoder makes the same
// guesses. Tables are indexed by hashes and never checked for collisions: a wrong guess costs
// bytes, not correctness, as long as both sides make the same.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "profile/trace/event.hpp"

namespace mallard::profile::codec {

// A table of zeros that grows with its use: there is one of each kind for every thread, and threads
// may be many and have few events. It begins as small blocks that are made when they are first
// asked for; once there are many, it becomes one array.
template <class T>
class zeroed_table {
 public:
  explicit zeroed_table(int log2)
      : shift_(64 - log2), number_of_((std::size_t{1} << log2) / block_slots) {}

  // The reference stays valid until settle().
  T& operator[](std::uint64_t key) {
    const std::uint64_t slot = (key * 0x9e37'79b9'7f4a'7c15) >> shift_;
    return all_ ? all_.get()[slot] : in_block(slot);
  }
  void settle() {
    if (!all_ && blocks_used_ > number_of_.size() / 8) make_one();
  }
  // Effects: all zeros again; the memory stays.
  void clear() {
    if (all_) {
      std::fill_n(all_.get(), std::size_t{1} << (64 - shift_), T{});
      return;
    }
    std::fill(number_of_.begin(), number_of_.end(), std::uint16_t{0});
    pieces_.clear();
    blocks_used_ = 0;
  }

 private:
  static constexpr std::size_t block_slots = sizeof(T) <= 8 ? 16 : 4;
  static constexpr std::size_t blocks_of_piece = 16;
  using piece = std::array<T, block_slots * blocks_of_piece>;
  struct release {
    void operator()(T* slots) const { std::free(slots); }
  };

  T& in_block(std::uint64_t slot) {
    std::uint16_t& number = number_of_[slot / block_slots];
    if (number == 0) {
      if (blocks_used_ % blocks_of_piece == 0) pieces_.push_back(std::make_unique<piece>());
      number = static_cast<std::uint16_t>(++blocks_used_);
    }
    const std::size_t at = number - 1u;
    return (
        *pieces_[at / blocks_of_piece])[at % blocks_of_piece * block_slots + slot % block_slots];
  }
  void make_one() {
    const std::size_t slots = number_of_.size() * block_slots;
    std::unique_ptr<T, release> made(static_cast<T*>(std::calloc(slots, sizeof(T))));
    if (!made) throw std::bad_alloc();
    for (std::size_t slot = 0; slot < slots; ++slot) {
      if (number_of_[slot / block_slots] != 0) made.get()[slot] = in_block(slot);
    }
    all_ = std::move(made);
    number_of_ = std::vector<std::uint16_t>();
    pieces_ = std::vector<std::unique_ptr<piece>>();
  }

  int shift_;
  std::unique_ptr<T, release> all_;       // once it is one array
  std::vector<std::uint16_t> number_of_;  // of blocks, from 1 on; 0: not made
  std::vector<std::unique_ptr<piece>> pieces_;
  std::size_t blocks_used_ = 0;
};

// Whether the event is one of a block of the heap itself.
constexpr bool in_heap(const event& one) {
  return one.kind <= event_kind::reallocate && one.function != resource_function;
}

class event_model {
 public:
  // Names a block of the heap; 0 is none.
  using block_index = std::uint32_t;
  struct block {
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    std::uint32_t stack = 0;       // that allocated it
    block_index stack_before = 0;  // the one its stack allocated before it
    block_index freed_before = 0;  // the one of its class that was freed before it
    bool live = false;
  };
  // History of one stack.
  struct site {
    std::uint64_t size = 0;  // asked for last
    std::uint64_t size_before = 0;
    std::uint64_t freed_size = 0;  // of the block it freed last
    std::uint32_t frees_of = 0;    // and the stack that had allocated that
    block_index newest = 0;        // of the blocks it allocated
    std::uint8_t operation = 0;
  };

  event_model() : after_two_(15), after_one_(14), sites_(14), index_(16), freed_(10), blocks_(1) {}

  std::uint32_t stack_after_two() { return after_two_[pair()]; }
  std::uint32_t stack_after_one() { return after_one_[last_stack_]; }
  std::uint32_t highest_stack() const { return highest_stack_; }
  site& of(std::uint32_t stack) { return sites_[stack]; }

  // The block at an address, 0 if none was allocated or freed there in this chunk.
  block_index find(std::uint64_t address);
  std::uint64_t size_at(std::uint64_t address) { return blocks_[find(address)].size; }
  const block& at(block_index index) const { return blocks_[index]; }
  block_index blocks() const { return static_cast<block_index>(blocks_.size()); }

  // The block that `stack` is likely to free.
  block_index likely_freed(std::uint32_t stack);
  // The free block of this size that was freed last, and the one freed before a block.
  block_index freed_last(std::uint64_t size) { return valid_freed(freed_[size_class(size)]); }
  block_index freed_before(block_index one) { return valid_freed(blocks_[one].freed_before); }
  block_index last_freed() const { return last_freed_; }
  std::uint64_t behind_last() const { return behind_last_; }
  std::uint64_t last_address() const { return last_address_; }
  std::uint64_t last_freed_address() const { return last_freed_address_; }

  // Effects: the event is the last one. What of() gave is no more.
  void saw(const event& one);
  // Effects: nothing has been seen.
  void clear();
  // Whether making one such anew takes longer than clear().
  bool is_large() const { return blocks_.capacity() > 8192; }

 private:
  // In steps of 16 bytes with a header of 8 and at least 32, as in the malloc of glibc.
  static std::uint64_t size_class(std::uint64_t size) { return size <= 24 ? 2 : (size + 23) / 16; }
  std::uint64_t pair() const { return std::uint64_t{last_stack_} << 32 | stack_before_; }
  block_index valid_freed(block_index from);
  void allocated(std::uint64_t address, std::uint64_t size, std::uint32_t stack);
  void freed(std::uint64_t address, std::uint32_t stack);

  zeroed_table<std::uint32_t> after_two_;
  zeroed_table<std::uint32_t> after_one_;
  zeroed_table<site> sites_;
  zeroed_table<block_index> index_;  // by address
  zeroed_table<block_index> freed_;  // by size class, the last freed
  std::vector<block> blocks_;
  std::uint32_t last_stack_ = 0;
  std::uint32_t stack_before_ = 0;
  std::uint32_t highest_stack_ = 0;
  block_index last_freed_ = 0;
  std::uint64_t behind_last_ = 0;
  std::uint64_t last_address_ = 0;
  std::uint64_t last_freed_address_ = 0;
};

// Models for one chunk after another. Of threads that have a few events each, small ones are made.
class model_pool {
 public:
  // For a chunk of so many events.
  std::unique_ptr<event_model> take(std::size_t events);
  void give_back(std::unique_ptr<event_model> used);

 private:
  static constexpr std::size_t most = 4;
  std::vector<std::unique_ptr<event_model>> spare_;
};

}  // namespace mallard::profile::codec
