// Measures one subsystem. It gets every operation in the order of time and computes the six
// dimensions, for the whole time and for each window.
//
//   D  heap operations; scaled: their share of the subsystem's processor time
//   V  different sizes per allocation; scaled: the entropy of its size classes over the largest
//      possible with as many classes
//   L  instructions over footprint and transitions; scaled: pages needed over pages used at the
//      peak
//   U  peak over total bytes; scaled: the same within epochs, from nothing alive to nothing alive
//   C  expected concurrent operations over threads; scaled: the share of the time in operations
//      during which another thread is in one, too (see contention.hpp)
//   F  allocations by others in between; scaled: how often another subsystem interrupts its run
//      of allocations of a size class
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "profile/block_stream.hpp"
#include "profile/contention.hpp"
#include "profile/live_table.hpp"
#include "profile/number_counts.hpp"
#include "profile/of_threads.hpp"
#include "profile/placement.hpp"
#include "profile/result.hpp"

namespace mallard::profile {

// Four size classes to a doubling.
std::uint32_t size_class_of(std::uint64_t bytes);
// The largest size of a class.
std::uint64_t size_of_class(std::uint32_t size_class);

// Facts shared by all subsystems of a trace.
struct meter_setting {
  std::uint64_t from = 0, until = 0;  // ns
  std::size_t windows = 0;
  double allocation_ns = 0, free_ns = 0;  // of an operation, by the timed ones
  std::uint64_t cpu_sample_ns = 0;        // 0: no samples
  std::uint64_t page_bytes = 4096;
  std::uint64_t line_bytes = 64;
  bool has_threads = true;
  bool has_addresses = true;
};

// A block as its subsystem knows it.
struct metered_block {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t born = 0;  // ns
  std::uint32_t thread = 0;
};

class subsystem_meter {
 public:
  // `whole`: measures the whole program, whose peak is when at_peak() is called.
  subsystem_meter(std::string name, const meter_setting& setting, bool whole = false);

  void allocated(const metered_block& block, bool by_reallocation);
  void freed(const metered_block& block, std::uint64_t time, std::uint32_t thread,
             const block_end& how);
  // A block entered the subsystem by reallocation, or left it.
  void reallocated() { ++out_.total.reallocations; }
  void sampled(std::uint64_t time, bool in_heap);
  // The thread went on in another subsystem.
  void left() { ++transitions_; }
  // An allocation of this size class; `continued`: the previous one was the subsystem's own.
  void in_run(bool continued);
  // Pass the subsystem's live blocks at the program's peak, and at the end.
  void at_peak(const placement& where);
  void at_end(const placement& where);

  // All but C's scaled form.
  subsystem finish(std::size_t subsystems, const std::vector<std::uint64_t>& cache_bytes);
  // After finish(). The counts of the program as a whole tell the contention of all subsystems.
  contention contention_of_all(const recorder_times& times) const;
  void add_contention(subsystem& out, const contention& found) const;

 private:
  // Sums of the whole time or a window.
  struct account {
    std::uint64_t allocations = 0, frees = 0, bytes = 0, peak = 0;
    std::uint64_t samples = 0, looks = 0, looks_in_heap = 0;
    std::uint64_t runs = 0;                 // of allocations that no other subsystem interrupts
    double busy = 0;                        // ns, by the timed operations
    double epoch_use = 0, epoch_bytes = 0;  // sums of the peaks and bytes of epochs that ended here
    std::vector<std::uint64_t> classes;     // allocations by size class
    thread_set threads;
    // Adds everything but peaks, which have no meaningful sum.
    void add(const account& other);
  };
  struct page_blocks {
    std::uint64_t address = 0;  // named as live_table requires
    std::uint64_t blocks = 0;
  };
  account& current() { return windows_.empty() ? all_ : windows_[window_]; }
  account& window_at(std::uint64_t time);
  stretch_counts& stretch_at(std::uint64_t time);
  void end_epoch();
  void roll(std::uint64_t time);
  void busy(std::uint64_t time, std::uint32_t thread, bool allocation);
  void touch_pages(const metered_block& block, bool allocation);
  // All but the ones that depend on where blocks lie. `others`: there are other subsystems.
  dimensions dims_of(const account& one, double wall, std::uint64_t unique_sizes,
                     bool others) const;

  meter_setting setting_;
  bool whole_;
  subsystem out_;
  account all_;  // its peak; and all other sums if there are no windows
  std::vector<account> windows_;
  std::vector<std::uint64_t> live_at_end_;  // by window
  std::vector<stretch_counts> stretches_;   // hundredths of the time
  std::uint64_t stretch_ns_;
  std::size_t stretch_ = 0;          // the latest
  std::uint64_t stretch_began_ = 0;  // ns after the beginning
  std::size_t window_ = 0;
  std::uint64_t window_lasts_ = 0;  // the current window lasts at least until this time
  number_counts sizes_;
  std::array<std::array<std::uint64_t, 64>, 48> size_by_lifetime_{};
  std::uint64_t live_bytes_ = 0, live_blocks_ = 0;
  std::uint64_t epoch_bytes_ = 0, epoch_peak_ = 0;
  number_counts epochs_;
  std::uint64_t transitions_ = 0;
  live_table<page_blocks> pages_;
  std::uint64_t pages_at_peak_ = 0;
  std::uint64_t last_end_ = 0;  // of the block born last
  std::uint64_t last_born_ = 0;
  std::uint64_t last_sample_ = UINT64_MAX;  // the time of the latest sample
  std::uint64_t neighbours_ = 0;
  placement peak_, end_;
};

}  // namespace mallard::profile
