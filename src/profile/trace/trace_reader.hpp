// Reads a trace: what it says of the process at once, its events one by one, merged over all
// threads by time. Memory is for the stacks, the symbols, and one chunk of each thread that is in
// the middle of one, however long the recording was.
//
//   trace_reader trace("program.mallard");
//   auto events = trace.events();
//   for (recorded one; events.next(one);) …;
//   for (const std::string& line : trace.problems()) …;  // what could not be read
//
// A damaged or unfinished file gives what is readable. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "profile/trace/chunk_file.hpp"
#include "profile/trace/event.hpp"
#include "profile/trace/event_codec.hpp"
#include "profile/trace/facts.hpp"
#include "profile/trace/stack_table.hpp"
#include "profile/trace/symbol_table.hpp"

namespace mallard::profile {

// The next item: an event, or a sample, which has a time and a stack alone.
struct recorded {
  std::uint32_t thread = 0;
  bool sample = false;
  bool in_heap = false;  // of a sample, where the trace tells
  event what;
};

// Selects a part of a trace.
struct selection {
  std::uint64_t from = 0;                             // ns
  std::uint64_t until = UINT64_MAX;                   // before this
  std::optional<std::vector<std::uint32_t>> threads;  // all if not set
};

class event_stream {
 public:
  // All must outlive it.
  event_stream(chunk_file& file, const read_stacks& stacks, const selection& part);
  event_stream(event_stream&&) noexcept;
  ~event_stream();

  // Effects: `one` is the next event in the order of time. Returns: false at the end. Where times
  // are equal, a thread's own order holds, and threads come by their numbers.
  bool next(recorded& one);

 private:
  class cursor;
  struct entry {
    std::uint64_t time;
    std::uint32_t rank;
    bool operator>(const entry& other) const {
      return time != other.time ? time > other.time : rank > other.rank;
    }
  };
  void push(std::uint32_t rank);

  chunk_file& file_;
  const read_stacks& stacks_;
  selection part_;
  std::unique_ptr<codec::model_pool> models_;
  std::vector<std::unique_ptr<cursor>> cursors_;
  std::vector<entry> heap_;
  cursor* current_ = nullptr;  // the one whose turn it is
  std::uint32_t current_rank_ = 0;
};

// Whether the file begins like a trace. False for files that cannot be read.
bool is_trace(const std::filesystem::path& path);

class trace_reader {
 public:
  // "-" is standard input, which must be a file. Throws std::runtime_error, in one line, if the
  // file cannot be read or is not a trace.
  explicit trace_reader(const std::string& path);

  const trace_facts& facts() const { return facts_; }
  // By the numbers that events have; [0] is no stack.
  const stack_list& stacks() const { return stacks_.nodes(); }
  const symbol_table& symbols() const { return symbols_; }
  // Functions at the stack's innermost frame: those inlined there, the innermost first, then the
  // frame's own. Empty if they are unknown.
  std::span<const symbol_line> lines_of(std::uint32_t stack) const;
  // In place of those that were read.
  void set_symbols(symbol_table found) { symbols_ = std::move(found); }
  const std::vector<std::string>& problems() const { return file_.problems(); }
  // Events that the recording lost, or that an import could not read.
  std::uint64_t dropped() const;
  // Nothing is missing: the trace was finished, none of its events was lost, and nothing that was
  // read so far is damaged. Damaged events are found when they are read.
  bool is_whole() const { return file_.undamaged() && dropped() == 0; }
  std::uint64_t bytes() const { return file_.bytes(); }
  std::uint64_t event_count() const { return event_count_; }  // as the chunks' headers say
  std::uint64_t sample_count() const { return sample_count_; }
  std::uint64_t last_time() const { return last_time_; }    // of an event or the process's end
  std::uint64_t first_time() const { return first_time_; }  // the first moment that was recorded

  // From now on reading events throws reading_interrupted once `asked` says so.
  void interrupted_by(bool (*asked)()) { file_.interrupted_by(asked); }

  // The events again from the beginning, as often as wanted; the reader must outlive them.
  event_stream events(const selection& part = {}) { return event_stream(file_, stacks_, part); }

 private:
  chunk_file file_;
  trace_facts facts_;
  read_stacks stacks_;
  symbol_table symbols_;
  std::uint64_t event_count_ = 0;
  std::uint64_t sample_count_ = 0;
  std::uint64_t first_time_ = 0;
  std::uint64_t last_time_ = 0;
};

}  // namespace mallard::profile
