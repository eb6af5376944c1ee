// A value for each thread, a set of threads, and counts by thread. Events of a thread come in
// bursts, so all keep the latest thread at hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace mallard::profile {

template <class Value>
class of_threads {
 public:
  of_threads() = default;
  of_threads(const of_threads&) = delete;
  of_threads& operator=(const of_threads&) = delete;

  // O(1), and nearly free for the thread of the last call.
  Value& operator[](std::uint32_t thread) {
    if (!latest_ || thread != latest_thread_) {
      latest_ = &values_[thread];  // map nodes do not move
      latest_thread_ = thread;
    }
    return *latest_;
  }
  auto begin() { return values_.begin(); }
  auto end() { return values_.end(); }

 private:
  std::unordered_map<std::uint32_t, Value> values_;
  Value* latest_ = nullptr;
  std::uint32_t latest_thread_ = 0;
};

class thread_set {
 public:
  // O(log n), and nearly free for the thread of the last call.
  void insert(std::uint32_t thread) {
    if (thread == latest_ && !all_.empty()) return;
    all_.insert(thread);
    latest_ = thread;
  }
  void insert(const thread_set& others) { all_.insert(others.all_.begin(), others.all_.end()); }

  std::size_t size() const { return all_.size(); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  std::set<std::uint32_t> all_;
  std::uint32_t latest_ = 0;
};

class thread_counts {
 public:
  thread_counts() = default;
  thread_counts(const thread_counts&) = delete;
  thread_counts& operator=(const thread_counts&) = delete;

  // O(log n), and nearly free for the thread of the last call.
  void add(std::uint32_t thread, std::uint64_t times = 1) {
    if (!latest_ || latest_->first != thread) latest_ = &*all_.try_emplace(thread).first;
    latest_->second += times;
  }
  std::size_t size() const { return all_.size(); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  std::map<std::uint32_t, std::uint64_t> all_;  // its nodes do not move
  std::pair<const std::uint32_t, std::uint64_t>* latest_ = nullptr;
};

}  // namespace mallard::profile
