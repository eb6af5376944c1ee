// Purpose: turns the messages of one thread into events of its trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/record/ticks_clock.hpp"
#include "profile/trace/trace_writer.hpp"
#include "recorder/session.hpp"

namespace mallard::profile {

class thread_recording {
 public:
  thread_recording(trace_writer& trace, const ticks_clock& clock, std::uint32_t id)
      : trace_(&trace), clock_(&clock), id_(id), nodes_(1) {}

  // Reads messages of the ring from `tail` until `until` is reached or passed. `alone`: no other
  // thread of the process has recorded anything before them. Returns: the new tail.
  std::uint64_t take(recorder::thread_slot& slot, std::uint64_t tail, std::uint64_t until,
                     bool alone);
  // Passes complete events to the trace.
  void hand_over();
  // Passes the held-back event, too. Only another flush may follow.
  void flush();

  std::uint32_t id() const { return id_; }
  std::uint64_t count() const { return count_; }     // of events
  const std::string& name() const { return name_; }  // given by the program

 private:
  std::size_t one(const std::uint64_t* at);
  void block(const std::uint64_t* at, event_kind kind, std::size_t words);
  void scope(const std::uint64_t* at, event_kind kind);
  void add(const event& one);
  void module(const std::uint64_t* at);
  std::uint64_t time(std::uint64_t ticks);
  std::uint32_t stack(std::uint64_t node) const;

  trace_writer* trace_;
  const ticks_clock* clock_;
  std::uint32_t id_;
  std::uint64_t last_time_ = 0;
  bool alone_ = false;
  std::uint64_t count_ = 0;
  std::vector<std::uint32_t> nodes_;  // the trace's ids of the thread's numbers
  std::vector<event> events_;         // the last one may still get a cost
  std::vector<cpu_sample> samples_;
  std::string name_;
};

// The message's text; its length is the second word.
std::string_view text_of(const std::uint64_t* message);

}  // namespace mallard::profile
