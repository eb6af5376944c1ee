#include "profile/record/process_recording.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "preload/functions.hpp"
#include "profile/trace/demangled.hpp"
#include "recorder/futex.hpp"

namespace mallard::profile {
namespace {

// The thread's name in the system; empty if the thread is gone.
std::string system_name(std::uint64_t pid, std::uint32_t tid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/task/" + std::to_string(tid) + "/comm");
  std::string out;
  std::getline(in, out);
  return out;
}

}  // namespace

process_recording::process_recording(std::string file, const process_info& info,
                                     const ticks_clock& clock)
    : file_(std::move(file)),
      pid_(info.pid),
      clock_(&clock),
      trace_(file_, info),
      resident_(info.pid) {
  for (std::size_t i = 0; i < preload::function_count; ++i) {
    trace_.name(name_kind::function, i, demangled(preload::function_symbols[i]));
  }
}

thread_recording& process_recording::thread(std::uint32_t index,
                                            const recorder::thread_slot& slot) {
  if (const auto found = open_.find(index); found != open_.end()) return found->second;
  auto& made = open_.try_emplace(index, trace_, *clock_, thread_count_++).first->second;
  describe(made, slot, UINT64_MAX);
  return made;
}

void process_recording::describe(const thread_recording& from, const recorder::thread_slot& slot,
                                 std::uint64_t ended) {
  thread_info info;
  info.id = from.id();
  info.tid = slot.tid;
  info.name = from.name().empty() ? system_name(pid_, slot.tid) : from.name();
  info.started = clock_->at(slot.started);
  info.ended = ended;
  trace_.thread(info);
}

std::uint64_t process_recording::take(std::uint32_t index, recorder::thread_slot& slot,
                                      const recorder::process_slot& process) {
  const std::uint64_t head = slot.head.load(std::memory_order_acquire);
  const std::uint64_t tail = slot.tail.load(std::memory_order_relaxed);
  if (head == tail) return 0;
  // Must come after the read of the head: if an event before it depends on another thread's event,
  // that thread's slot was taken by then, and we see it here.
  const bool alone = process.open_threads.load(std::memory_order_relaxed) <= 1;
  thread_recording& from = thread(index, slot);
  // In parts, so that the thread need not wait until everything is read.
  constexpr std::uint64_t part = recorder::first_ring_words / 2;
  for (std::uint64_t at = tail; at != head;) {
    at = from.take(slot, at, std::min(head, at + part), alone);
    slot.tail.store(at, std::memory_order_seq_cst);
    recorder::change_and_wake(slot.drained, slot.waiting);
  }
  return head - tail;
}

void process_recording::end_thread(std::uint32_t index, const recorder::thread_slot& slot,
                                   std::uint64_t time) {
  const auto found = open_.find(index);
  if (found == open_.end()) return;
  thread_recording& ended = found->second;
  ended.flush();
  describe(ended, slot, time);
  loss_info loss;
  loss.thread = ended.id();
  loss.dropped = slot.dropped.load(std::memory_order_relaxed);
  loss.waited_ns = clock_->duration(slot.waited.load(std::memory_order_relaxed));
  trace_.loss(loss);
  dropped_ += loss.dropped;
  waited_ns_ += loss.waited_ns;
  ended_events_ += ended.count();
  open_.erase(found);
}

void process_recording::refuse(std::uint64_t operations) {
  if (operations == 0) return;
  constexpr std::uint32_t nobody = UINT32_MAX;
  trace_.loss({nobody, operations, 0});
  refused_ = operations;
  dropped_ += operations;
}

void process_recording::flush() {
  for (auto& [index, one] : open_) one.hand_over();
  trace_.flush();
}

std::uint64_t process_recording::events() const {
  std::uint64_t out = ended_events_;
  for (const auto& [index, one] : open_) out += one.count();
  return out;
}

recorded_process process_recording::finish(const end_info& end,
                                           const std::function<void(trace_writer&)>& finishing) {
  trace_.resident(resident_.all());
  trace_.end(end);
  if (finishing) finishing(trace_);
  if (ran_on_) {
    trace_.flush();
  } else {
    trace_.finish();
  }
  recorded_process out;
  out.pid = pid_;
  out.file = file_;
  out.events = events();
  out.bytes = trace_.bytes();
  out.threads = thread_count_;
  out.dropped = dropped_;
  out.refused = refused_;
  out.waited_ns = waited_ns_;
  out.ran_on = ran_on_;
  out.error = trace_.error();
  std::error_code ignored;
  if (!out.error.empty() && std::filesystem::file_size(file_, ignored) == 0) {
    std::filesystem::remove(file_, ignored);
    out.file.clear();
  }
  return out;
}

}  // namespace mallard::profile
