// Writes the trace of one process into one file, as it happens.
//
//   trace_writer trace("program.mallard", process);
//   const std::uint32_t stack = trace.stack(frames);
//   trace.events(thread, events);
//   trace.finish();
//
// Events are coded and compressed a chunk at a time for each thread, so the writer keeps up to
// five megabytes for each thread that allocates. Whatever the file cannot take (a full disk)
// is told by error(); nothing is thrown, and what was written before stays readable.
// Not thread-safe: one thread drains and writes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/trace/chunk.hpp"
#include "profile/trace/event.hpp"
#include "profile/trace/event_codec.hpp"
#include "profile/trace/stack_table.hpp"
#include "profile/trace/symbol_table.hpp"
#include "profile/trace/trace_info.hpp"

namespace mallard::profile {

class trace_writer {
 public:
  // Effects: creates or replaces the file. Throws std::system_error if it cannot.
  trace_writer(const std::string& path, const process_info& process);
  ~trace_writer();
  trace_writer(const trace_writer&) = delete;
  trace_writer& operator=(const trace_writer&) = delete;

  // A module that was loaded at one.time. Another at its addresses later is another module.
  void module(const module_info& one);
  // The module with this load bias was unloaded.
  void unmodule(std::uint64_t time, std::uint64_t load_bias);
  // Writes the facts of a thread; call it again when more is known (its name, its end).
  void thread(const thread_info& one);
  void name(name_kind kind, std::uint64_t id, std::string_view text);
  // Writes a thread's losses and waits; the last call counts.
  void loss(const loss_info& one);
  void resident(std::span<const resident_sample> samples);
  void end(const end_info& one);

  // The id of a stack, innermost frame first.
  std::uint32_t stack(std::span<const frame> frames) { return stacks_.intern(frames); }
  // The same frame by frame, outermost first: the id of `one` called from stack `parent`.
  std::uint32_t stack(std::uint32_t parent, const frame& one) { return stacks_.child(parent, one); }

  // Events of one thread in the order of their time.
  void events(std::uint32_t thread, std::span<const event> some);
  void cpu_samples(std::uint32_t thread, std::span<const cpu_sample> some);

  // Writes the names of the stacks' addresses; called before finish(), if at all.
  void symbols(const symbol_table& table);
  const stack_table& stacks() const { return stacks_; }
  const std::vector<module_info>& modules() const { return modules_; }

  // Effects: everything so far is in the file; costs a little compression.
  void flush();
  // Effects: flushes, writes the index, closes. Returns: whether all of it was written.
  bool finish();

  std::uint64_t event_count() const { return event_count_; }
  std::uint64_t bytes() const { return offset_; }  // written so far
  // Empty, or one line on what went wrong.
  const std::string& error() const { return error_; }

 private:
  struct pending {
    explicit pending(codec::model_pool& models) : events(models) {}
    event_encoder events;
    std::vector<cpu_sample> samples;
  };

  void write_events(std::uint32_t thread, event_encoder& events);
  void write_samples(std::uint32_t thread, std::vector<cpu_sample>& samples);
  void write_facts();
  void write_stacks();
  void write_chunk(chunk_header header, std::string_view raw,
                   std::span<const std::size_t> ends = {});
  void put(std::string_view bytes);

  int file_;
  std::string path_;
  std::uint64_t offset_ = 0;
  std::uint64_t event_count_ = 0;
  std::string error_;
  compressor compressor_;
  stack_table stacks_;
  std::uint32_t stacks_written_ = 1;
  std::string facts_;
  std::uint32_t fact_count_ = 0;
  codec::model_pool models_;
  std::map<std::uint32_t, pending> threads_;
  std::vector<module_info> modules_;
  std::string index_;  // offset and header of every chunk
  std::uint32_t chunk_count_ = 0;
};

}  // namespace mallard::profile
