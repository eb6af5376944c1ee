// Facts of a trace besides its events, as records of bytes: one kind of record for each of
// trace_info's types. A record begins with its kind and its length, so that readers pass over kinds
// they do not know.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/trace/trace_info.hpp"

namespace mallard::profile {

// Everything that the facts of a trace say.
struct trace_facts {
  process_info process;
  std::vector<module_info> modules;
  std::map<std::uint32_t, thread_info> threads;
  std::map<std::pair<name_kind, std::uint64_t>, std::string> names;
  std::map<std::uint32_t, loss_info> losses;
  std::vector<resident_sample> resident;  // in the order of time
  end_info end;

  friend bool operator==(const trace_facts&, const trace_facts&) = default;
};

// Returns the name of the id; "#7" if the trace has none.
std::string name_of(const trace_facts& facts, name_kind kind, std::uint64_t id);
// "thread 3", with the name that it had.
std::string thread_name(const trace_facts& facts, std::uint32_t thread);

std::string to_bytes(const process_info& one);
std::string to_bytes(const module_info& one);
std::string unload_to_bytes(std::uint64_t time, std::uint64_t load_bias, std::uint32_t last_stack);
std::string to_bytes(const thread_info& one);
std::string to_bytes(name_kind kind, std::uint64_t id, std::string_view text);
std::string to_bytes(const loss_info& one);
std::string to_bytes(std::span<const resident_sample> samples);
std::string to_bytes(const end_info& one);

// Adds what the records say. Throws `malformed`; what was read before the bad record stays.
void read_facts(std::string_view records, trace_facts& facts);

}  // namespace mallard::profile
