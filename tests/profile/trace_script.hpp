// Writes traces of programs that never ran: calls, allocations and frees by line, as if recorded.
// What is in such a trace is known exactly.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "profile/trace/trace_reader.hpp"
#include "profile/trace/trace_writer.hpp"
#include "support/scratch_path.hpp"

namespace mallard::profile {

class trace_script {
 public:
  static constexpr std::string_view inlined_into = " < ";
  explicit trace_script(const std::string& path, process_info process = default_process())
      : writer_(path, process) {}

  static process_info default_process() {
    process_info process;
    process.pid = 7;
    process.command = {"program"};
    process.cpu_sample_ns = 1000;
    process.cache_bytes = {1u << 15, 1u << 20};
    return process;
  }

  // This thread does all that follows.
  void on_thread(std::uint32_t thread) { thread_ = thread; }

  // Calls `name` from this line of the function that runs; "inner < outer" is a function with
  // another inlined into it. A frame's address is its depth's, so a function called again has the
  // same.
  void call(const std::string& name, std::uint64_t line, const std::function<void()>& body) {
    auto& stack = stacks_[thread_];
    if (!stack.empty()) stack.back().line = line;
    stack.push_back({name, 0, base() - 0x40 * stack.size()});
    body();
    stacks_[thread_].pop_back();
  }
  // The thread on another stack, as a coroutine that has one: its frames lie elsewhere.
  void with_stack(std::uint64_t stack_base, const std::function<void()>& body) {
    std::vector<open_call> other;
    std::swap(stacks_[thread_], other);
    const std::uint64_t own = base();
    bases_[thread_] = stack_base;
    body();
    bases_[thread_] = own;
    std::swap(stacks_[thread_], other);
  }

  // Returns: the block's address. `line`: where the function that runs does it.
  std::uint64_t allocate(std::uint64_t line, std::uint64_t bytes, std::uint32_t cost = 0) {
    std::uint64_t address = next_address_;
    const std::uint64_t room = (bytes + 31) / 16 * 16;
    if (auto& again = free_[room]; !again.empty()) {
      address = again.back();
      again.pop_back();
    } else {
      next_address_ += room;
    }
    sizes_[address] = room;
    event one = make(event_kind::allocate, line);
    one.address = address;
    one.size = bytes;
    one.cost = cost;
    put(one);
    return address;
  }
  void free(std::uint64_t line, std::uint64_t address, std::uint32_t cost = 0) {
    event one = make(event_kind::free, line);
    one.address = address;
    one.cost = cost;
    put(one);
    free_[sizes_[address]].push_back(address);
  }
  void free_without_stack(std::uint64_t address) {
    event one = make(event_kind::free, 0);
    one.stack = 0;
    one.address = address;
    put(one);
    free_[sizes_[address]].push_back(address);
  }
  std::uint64_t reallocate(std::uint64_t line, std::uint64_t old, std::uint64_t bytes) {
    event one = make(event_kind::reallocate, line);
    one.old_address = old;
    one.address = next_address_;
    one.size = bytes;
    sizes_[one.address] = (bytes + 31) / 16 * 16;
    next_address_ += sizes_[one.address];
    put(one);
    return one.address;
  }
  void enter_scope(const std::string& name) { scope(event_kind::scope_enter, name); }
  void leave_scope(const std::string& name) { scope(event_kind::scope_exit, name); }
  void sample(std::uint64_t line) {
    const cpu_sample one{++time_, make(event_kind::allocate, line).stack};
    writer_.cpu_samples(thread_, {&one, 1});
  }
  void pass(std::uint64_t ns) { time_ += ns; }
  std::uint64_t time() const { return time_; }
  trace_writer& writer() { return writer_; }

  void finish() {
    symbol_table table;
    for (const auto& [name, start] : starts_) {
      std::vector<std::uint32_t> texts;
      std::uint32_t file = 0;
      if (const auto known = files_.find(name); known != files_.end()) {
        file = static_cast<std::uint32_t>(table.strings.size());
        table.strings.push_back(known->second);
      }
      for (std::size_t at = 0; at != name.npos;) {
        const std::size_t end = name.find(inlined_into, at);
        texts.push_back(static_cast<std::uint32_t>(table.strings.size()));
        table.strings.push_back(name.substr(at, end - at));
        at = end == name.npos ? end : end + inlined_into.size();
      }
      for (const std::uint64_t ip : ips_[name]) {
        symbol& made = table.of[{0, ip}];
        made = {start, direct_calls_, {}, {}};
        std::uint32_t told = file;
        if (ip - start == header_line_) {
          told = static_cast<std::uint32_t>(table.strings.size());
          table.strings.push_back("/usr/include/c++/12/bits/basic_string.h");
        }
        for (const std::uint32_t text : texts) {
          const auto other = told_lines_.find(ip - start);
          const std::uint64_t line = other == told_lines_.end() ? ip - start : other->second;
          made.lines.push_back({text, told, static_cast<std::uint32_t>(line)});
        }
      }
    }
    if (thread_ends_later_) writer_.thread({.id = thread_, .ended = time_ + 1000});
    writer_.end({time_, end_, 0});
    writer_.symbols(table);
    ASSERT_TRUE(writer_.finish()) << writer_.error();
  }

 private:
  struct open_call {
    std::string name;
    std::uint64_t line;
    std::uint64_t frame_address;
  };

  std::uint64_t base() {
    const auto [at, fresh] = bases_.try_emplace(thread_, 0x7fff00000000 - 0x1000000ull * thread_);
    return at->second;
  }
  std::uint64_t start_of(const std::string& name) {
    return starts_.try_emplace(name, 0x400000 + 0x1000 * (starts_.size() + 1)).first->second;
  }
  event make(event_kind kind, std::uint64_t line) {
    auto& stack = stacks_[thread_];
    if (!stack.empty()) stack.back().line = line;
    std::vector<frame> frames;
    for (std::size_t i = stack.size(); i-- > 0;) {
      const std::uint64_t ip = start_of(stack[i].name) + stack[i].line;
      ips_[stack[i].name].insert(ip);
      frames.push_back({ip, frame_addresses_ ? stack[i].frame_address : 0});
    }
    if (frames.size() > depth_) frames.resize(depth_);
    event one;
    one.kind = kind;
    one.time = time_ += 10;
    one.stack = writer_.stack(frames);
    return one;
  }
  void scope(event_kind kind, const std::string& name) {
    const auto [at, fresh] = scopes_.try_emplace(name, scopes_.size() + 1);
    if (fresh) writer_.name(name_kind::scope, at->second, name);
    event one;
    one.kind = kind;
    one.time = ++time_;
    one.address = at->second;
    put(one);
  }
  void put(const event& one) { writer_.events(thread_, {&one, 1}); }

 public:
  std::map<std::string, std::string> files_;           // by function; others have none
  std::map<std::uint64_t, std::uint64_t> told_lines_;  // lines whose code lies where others' would
  std::uint64_t header_line_ = 0;  // where all functions are told to be in a library's header
  bool frame_addresses_ = true;
  end_kind end_ = end_kind::exited;
  bool thread_ends_later_ = false;  // than the recording
  bool direct_calls_ = true;
  std::size_t depth_ = SIZE_MAX;

 private:
  trace_writer writer_;
  std::uint32_t thread_ = 0;
  std::uint64_t time_ = 0;
  std::uint64_t next_address_ = 0x10000000;
  std::map<std::uint64_t, std::vector<std::uint64_t>> free_;
  std::map<std::uint64_t, std::uint64_t> sizes_;
  std::map<std::uint32_t, std::vector<open_call>> stacks_;
  std::map<std::uint32_t, std::uint64_t> bases_;
  std::map<std::string, std::uint64_t> starts_;
  std::map<std::string, std::set<std::uint64_t>> ips_;
  std::map<std::string, std::uint64_t> scopes_;
};

}  // namespace mallard::profile
