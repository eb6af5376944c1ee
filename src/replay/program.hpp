// A recorded program's heap operations, decoded once, so that the replaying loop does nothing else.
//
// A lane is the work of one replaying thread. Recorded threads that did not live at the same time
// share a lane. A block is a slot, an index into a table of pointers; the lane that freed the block
// reuses its slot. A block that passes from one lane to another has a slot of its own, which is
// null until the block is there. Lanes wait only for such slots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mallard::replay {

enum class verb : std::uint8_t {
  allocate,
  free,
  reallocate,  // of the block that the next operation, of verb `old`, describes as it was
  old,
  end_epoch,  // of this lane: nothing of the subsystem lives, or its scope's invocation has ended
  walk,       // slot: position in the walks, size: number of blocks
};

// An operation in 16 bytes.
struct operation {
  static constexpr unsigned verb_bits = 3;
  static constexpr std::uint64_t own_bit = 1u << 3;     // it is the subsystem's
  static constexpr std::uint64_t handed_bit = 1u << 4;  // from another lane, or to one
  static constexpr std::uint64_t zero_bit = 1u << 5;    // the block must be zeroed
  static constexpr std::uint64_t last_bit = 1u << 6;    // a free that winking out leaves out
  static constexpr std::uint64_t new_bit = 1u << 7;     // by operator new or delete
  static constexpr unsigned alignment_shift = 8;        // its log2, six bits
  static constexpr unsigned size_shift = 14;
  static constexpr std::uint64_t most_bytes = (std::uint64_t{1} << (64 - size_shift)) - 1;

  std::uint64_t what = 0;
  std::uint32_t slot = 0;
  std::uint32_t think = 0;  // ns before it

  verb kind() const { return static_cast<verb>(what & ((1u << verb_bits) - 1)); }
  bool own() const { return what & own_bit; }
  bool by_new() const { return what & new_bit; }
  bool handed() const { return what & handed_bit; }
  std::size_t size() const { return static_cast<std::size_t>(what >> size_shift); }
  std::size_t alignment() const { return std::size_t{1} << (what >> alignment_shift & 63); }

  static operation make(verb kind, std::uint32_t slot, std::uint64_t size,
                        unsigned alignment_log2 = 0) {
    return {static_cast<std::uint64_t>(kind) | std::uint64_t{alignment_log2} << alignment_shift |
                size << size_shift,
            slot, 0};
  }
};
static_assert(sizeof(operation) == 16);

// Facts known in advance. Numbers count blocks unless their names say bytes.
struct program_facts {
  std::uint64_t operations = 0;  // replayed recorded ones; a reallocation is one
  std::uint64_t allocations = 0, frees = 0, reallocations = 0;
  std::uint64_t unknown_frees = 0;  // of blocks whose allocation was not recorded; left out
  // The subsystem's share.
  std::uint64_t own_operations = 0;
  std::uint64_t own_allocations = 0;
  std::uint64_t own_bytes = 0;
  std::uint64_t own_peak_bytes = 0;
  std::uint64_t own_handed = 0;  // freed by another lane than the allocator
  std::uint64_t own_left = 0;    // alive at the end
  std::uint64_t own_lanes = 0;   // that allocate some of it
  std::uint64_t survivors = 0;   // of invocations of its scope; they go to the global heap
  std::uint64_t epochs = 0;
  std::uint64_t largest_epoch_bytes = 0;
  std::uint64_t handed = 0;  // of the whole program
  std::uint64_t slots = 0;
  std::uint64_t peak_blocks = 0;  // of the whole program
  std::uint64_t peak_bytes = 0;
  std::uint64_t think_ns = 0;
  bool by_scope = false;  // epochs are invocations of an arena scope

  // Whether a resource that is reset only at ends of epochs needs a bounded amount of memory:
  // epochs are invocations and there are several, or an epoch holds not many times what lives at
  // once, or the subsystem frees too little to matter.
  bool is_bounded() const {
    const bool returns = by_scope && epochs > 1;
    const bool is_small = epochs > 0 && largest_epoch_bytes <= 8 * own_peak_bytes;
    return returns || is_small || own_bytes <= 2 * own_peak_bytes;
  }
};

// The program while it is made.
struct program {
  program_facts facts;
  std::vector<std::vector<operation>> lanes;
  std::vector<std::uint32_t> walks;         // slots in order of birth
  std::vector<std::uint32_t> sample_sizes;  // of allocations, spread evenly over the recording
  std::string scope;                        // the arena scope's function, if any
};

// The program in shared memory, which child processes inherit whatever they execute.
class shared_program {
 public:
  // Throws std::system_error.
  explicit shared_program(const program& made);
  ~shared_program();
  shared_program(const shared_program&) = delete;
  shared_program& operator=(const shared_program&) = delete;

  int file() const { return file_; }

 private:
  int file_ = -1;
};

// A measuring process's view of the program. All its pages are resident.
class program_view {
 public:
  // Throws std::system_error, or std::runtime_error if the file is no program.
  explicit program_view(int file);
  ~program_view();
  program_view(const program_view&) = delete;
  program_view& operator=(const program_view&) = delete;

  const program_facts& facts() const { return *facts_; }
  std::size_t lanes() const { return lanes_; }
  std::span<const operation> lane(std::size_t number) const;
  std::span<const std::uint32_t> walks() const { return walks_; }
  std::span<const std::uint32_t> sample_sizes() const { return sample_sizes_; }

 private:
  const std::byte* start_ = nullptr;
  std::size_t bytes_ = 0;
  const program_facts* facts_ = nullptr;
  std::size_t lanes_ = 0;
  std::span<const std::uint64_t> lane_ends_;  // as numbers of operations
  std::span<const operation> operations_;
  std::span<const std::uint32_t> walks_;
  std::span<const std::uint32_t> sample_sizes_;
};

}  // namespace mallard::replay
