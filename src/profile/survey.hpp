// The first reading of a trace: totals, the load of the call tree, and which blocks outlived which
// invocations and marked scopes.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "profile/block_stream.hpp"
#include "profile/invocations.hpp"
#include "profile/mark_tracker.hpp"
#include "profile/number_counts.hpp"
#include "profile/of_stacks.hpp"
#include "profile/result.hpp"

namespace mallard::profile {

struct surveyed_block : live_block {
  birthmark at;
  std::uint32_t mark = 0;
};

// Follows which blocks outlived which invocations.
class invocation_survey : public block_handler {
 public:
  // `kept`: by number of birth, see invocation_tracker; empty: no block is.
  invocation_survey(const trace_reader& trace, const function_table& functions,
                    const std::vector<bool>& kept);

  void read(trace_reader& trace, const selection& part) { read_into(trace, part, *this); }

  std::unique_ptr<invocation_tracker> invocations;

  // Called by block_stream.
  void soon(const recorded& one) { invocations->prefetch(one.what.stack); }
  void next(const recorded& one) {
    if (one.what.time > next_end_) end_threads(one.what.time);
  }
  void operation(const recorded& one);
  void died(const recorded& one, const surveyed_block& block, const block_end& how);
  void born(const recorded& one, surveyed_block& block);
  void outlived(const surveyed_block& block);
  void end() { stop(); }

 protected:
  // Threads may go on after a recording's end.
  static std::uint64_t end_of(const trace_reader& trace, const selection& part);
  // Returns: the bytes that live at the end.
  template <class Handler>
  std::uint64_t read_into(trace_reader& trace, const selection& part, Handler& to) {
    begin(trace, part);
    block_stream<surveyed_block> blocks(trace);
    blocks.run(trace.events(part), to);
    invocations->finish();
    return blocks.live_bytes();
  }

 private:
  void begin(const trace_reader& trace, const selection& part);
  void end_threads(std::uint64_t before);
  void stop();

  std::multimap<std::uint64_t, std::uint32_t> ends_;  // threads by the time of their end
  std::uint64_t next_end_ = UINT64_MAX;
  std::uint64_t until_ = UINT64_MAX;  // the end of the reading
  const std::vector<bool>& kept_;
  std::uint32_t births_ = 0;
  bool exits_ = false;  // the program exits before that, and so end all its functions
  bool stopped_ = false;
};

class survey final : public invocation_survey {
 public:
  survey(const trace_reader& trace, const function_table& functions);

  void read(trace_reader& trace, const selection& part);

  heap_total total;
  stack_loads loads;
  mark_tracker marks;
  number_counts allocation_costs, free_costs;  // ns

  // By number of birth: blocks that lived for at least a fiftieth of the reading, or to its end.
  std::vector<bool> lasting;

  // Called by block_stream.
  void soon(const recorded& one) {
    invocation_survey::soon(one);
    loads.prefetch(one.what.stack);
  }
  void operation(const recorded& one);
  void died(const recorded& one, const surveyed_block& block, const block_end& how);
  void born(const recorded& one, surveyed_block& block);
  void outlived(const surveyed_block& block);
  void unknown_free(const recorded&) { ++total.unknown_frees; }
  void failed(const recorded&) { ++total.failed; }
  void scope(const recorded& one);

 private:
  std::uint64_t clock_ns_ = 0;  // included in each cost
  // Blocks that live so long, and see so many others born, are lasting: one of a thread that waits
  // for a processor is not.
  std::uint64_t lasts_ = 0;
  std::uint64_t lasts_births_ = 0;
  std::uint64_t live_bytes_ = 0;
};

}  // namespace mallard::profile
