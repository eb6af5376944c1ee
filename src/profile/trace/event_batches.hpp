// The events of a trace, decoded ahead by a thread of its own while those before are looked at:
// decoding takes about as long as that. The thread starts once there are more events than one batch
// has.
//
//   event_batches batches(trace.events());
//   for (auto some = batches.next(); !some.empty(); some = batches.next()) …;
//
// While it lives, nothing else may be asked of the reader. Memory: six batches, 3 MB.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "profile/trace/trace_reader.hpp"

namespace mallard::profile {

class event_batches {
 public:
  // Events of a batch: as many as the processor's cache holds. There are several, as the threads
  // wait for each other, and on a busy machine long.
  static constexpr std::size_t most = 1 << 13;

  explicit event_batches(event_stream events) : events_(std::move(events)) {}
  ~event_batches();
  event_batches(const event_batches&) = delete;
  event_batches& operator=(const event_batches&) = delete;

  // The next events, which the caller may change and has until it asks again; none at the end.
  // Throws what the reader throws.
  std::span<recorded> next();

 private:
  // Effects: the batch has what comes next. Returns: whether that was all it has room for.
  bool fill(std::vector<recorded>& batch);
  void decode();  // the thread

  event_stream events_;
  std::array<std::vector<recorded>, 6> ring_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t filled_ = 0;  // batches, since the beginning
  std::size_t taken_ = 0;   // of them; the caller has the one before
  bool over_ = false;       // there are no more than these
  bool stop_ = false;
  std::exception_ptr failure_;
};

}  // namespace mallard::profile
