#include "profile/import/call_log.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "profile/import/line_source.hpp"
#include "profile/trace/trace_writer.hpp"

namespace mallard::profile {
namespace {

constexpr std::string_view columns = "time_ns,thread,call,block,bytes,alignment,resource";
constexpr std::size_t batch = 4096;

std::optional<std::uint64_t> number(std::string_view text, int base = 10) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

struct call {
  std::uint32_t thread = 0;
  bool is_event = false;  // refused requests are no events
  event what;
};

// The last cell is the resource's name, which may contain commas.
std::optional<call> parse(std::string_view line) {
  std::array<std::string_view, 6> cells;
  for (std::string_view& cell : cells) {
    const std::size_t comma = line.find(',');
    if (comma == std::string_view::npos) return {};
    cell = line.substr(0, comma);
    line.remove_prefix(comma + 1);
  }
  const auto time = number(cells[0]);
  const auto thread = number(cells[1]);
  const auto bytes = number(cells[4]);
  const auto alignment = number(cells[5]);
  if (!time || !thread || !bytes || !alignment || *thread == 0 || *thread > UINT32_MAX) return {};
  call out;
  out.thread = static_cast<std::uint32_t>(*thread) - 1;
  if (cells[2] == "failed") return out;
  const bool allocates = cells[2] == "allocate";
  if (!allocates && cells[2] != "deallocate") return {};
  const auto block = cells[3].starts_with("0x") ? number(cells[3].substr(2), 16) : std::nullopt;
  if (!block || !std::has_single_bit(*alignment)) return {};
  out.is_event = true;
  out.what.kind = allocates ? event_kind::allocate : event_kind::free;
  out.what.time = *time;
  out.what.address = *block;
  out.what.size = *bytes;
  out.what.alignment_log2 = static_cast<std::uint8_t>(std::countr_zero(*alignment));
  return out;
}

class events_by_thread {
 public:
  explicit events_by_thread(trace_writer& trace) : trace_(trace) {}

  void add(const call& one) {
    std::vector<event>& of_thread = pending_[one.thread];
    of_thread.push_back(one.what);
    if (of_thread.size() == batch) write(one.thread, of_thread);
  }
  void finish() {
    for (auto& [thread, some] : pending_) write(thread, some);
  }

 private:
  void write(std::uint32_t thread, std::vector<event>& some) {
    trace_.events(thread, some);
    some.clear();
  }

  trace_writer& trace_;
  std::map<std::uint32_t, std::vector<event>> pending_;
};

}  // namespace

bool is_call_log(const std::string& path) {
  try {
    line_source lines(path);
    std::string line;
    return lines.next(line) && line == columns;
  } catch (const std::runtime_error&) {
    return false;
  }
}

import_result import_call_log(const std::string& from, const std::string& to) {
  line_source lines(from);
  std::string line;
  if (!lines.next(line) || line != columns) {
    throw std::runtime_error(from + ": is not a file of logging_resource");
  }
  process_info process;
  process.command = {from};
  process.recorder = "logging_resource, imported";
  process.not_recorded = {"stacks", "what is not of the resource"};
  trace_writer trace(to, process);
  import_result result;
  events_by_thread events(trace);
  std::uint64_t last = 0;
  while (lines.next(line)) {
    const std::optional<call> one = parse(line);
    if (!one || (one->is_event && one->what.time < last)) {
      result.not_understood(from, lines.line_number());
      continue;
    }
    if (!one->is_event) continue;
    last = one->what.time;
    events.add(*one);
    ++result.events;
  }
  events.finish();
  if (lines.damaged()) result.ends_in_the_middle(from);
  result.note_losses(trace);
  trace.end({last, end_kind::unknown, 0});
  if (!trace.finish()) throw std::runtime_error(trace.error());
  return result;
}

}  // namespace mallard::profile
