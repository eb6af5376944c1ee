#include "profile/trace/facts.hpp"

#include <algorithm>

#include "profile/trace/varint.hpp"

namespace mallard::profile {
namespace {

enum record : std::uint8_t { process, module, unload, thread, name, loss, end, resident };

std::string record_of(record kind, const std::string& body) {
  std::string out;
  put_varint(out, kind);
  put_text(out, body);
  return out;
}

process_info read_process(byte_reader in) {
  process_info one;
  one.pid = in.varint();
  one.parent = in.varint();
  one.started = in.varint();
  one.command.resize(std::min<std::uint64_t>(in.varint(), in.left()));
  for (auto& word : one.command) word = in.text();
  one.recorder = in.text();
  one.unwinder = in.text();
  one.stack_depth = static_cast<std::uint32_t>(in.varint());
  one.sample_stacks = static_cast<std::uint32_t>(in.varint());
  one.page_bytes = in.varint();
  one.line_bytes = in.varint();
  one.cache_bytes.resize(std::min<std::uint64_t>(in.varint(), in.left()));
  for (auto& bytes : one.cache_bytes) bytes = in.varint();
  one.cpu_sample_ns = in.varint();
  one.not_recorded.resize(std::min<std::uint64_t>(in.varint(), in.left()));
  for (auto& what : one.not_recorded) what = in.text();
  if (in.left() > 0) one.architecture = in.text();
  if (in.left() > 0) one.clock_ps = in.varint();
  if (in.left() > 0) one.begins = in.varint();
  return one;
}

module_info read_module(byte_reader in) {
  module_info one;
  one.time = in.varint();
  one.path = in.text();
  one.build_id = in.text();
  one.load_bias = in.varint();
  one.segments.resize(std::min<std::uint64_t>(in.varint(), in.left()));
  for (auto& part : one.segments) {
    part.address = in.varint();
    part.bytes = in.varint();
  }
  one.first_stack = static_cast<std::uint32_t>(in.varint());
  return one;
}

// The last one that is still loaded there.
void read_unload(byte_reader in, std::vector<module_info>& modules) {
  const std::uint64_t time = in.varint();
  const std::uint64_t load_bias = in.varint();
  const auto last_stack = static_cast<std::uint32_t>(in.varint());
  const auto found = std::find_if(modules.rbegin(), modules.rend(), [&](const module_info& one) {
    return one.load_bias == load_bias && one.unloaded == UINT64_MAX;
  });
  if (found == modules.rend()) return;
  found->unloaded = time;
  found->last_stack = last_stack;
}

thread_info read_thread(byte_reader in) {
  thread_info one;
  one.id = static_cast<std::uint32_t>(in.varint());
  one.tid = in.varint();
  one.name = in.text();
  one.started = in.varint();
  one.ended = in.varint();
  return one;
}

loss_info read_loss(byte_reader in) {
  loss_info one;
  one.thread = static_cast<std::uint32_t>(in.varint());
  one.dropped = in.varint();
  one.waited_ns = in.varint();
  return one;
}

end_info read_end(byte_reader in) {
  end_info one;
  one.time = in.varint();
  one.how = static_cast<end_kind>(std::min<std::uint64_t>(in.varint(), 4));
  one.status = static_cast<std::uint32_t>(in.varint());
  return one;
}

// Differences, as both times and bytes change little.
void read_resident(byte_reader in, std::vector<resident_sample>& samples) {
  resident_sample last;
  while (!in.done()) {
    last.time = in.difference(last.time);
    last.bytes = in.difference(last.bytes);
    samples.push_back(last);
  }
}

void read_name(byte_reader in, trace_facts& facts) {
  const auto kind = static_cast<name_kind>(std::min<std::uint64_t>(in.varint(), 2));
  const std::uint64_t id = in.varint();
  facts.names[{kind, id}] = in.text();
}

}  // namespace

std::string to_bytes(const process_info& one) {
  std::string out;
  put_varint(out, one.pid);
  put_varint(out, one.parent);
  put_varint(out, one.started);
  put_varint(out, one.command.size());
  for (const auto& word : one.command) put_text(out, word);
  put_text(out, one.recorder);
  put_text(out, one.unwinder);
  put_varint(out, one.stack_depth);
  put_varint(out, one.sample_stacks);
  put_varint(out, one.page_bytes);
  put_varint(out, one.line_bytes);
  put_varint(out, one.cache_bytes.size());
  for (const std::uint64_t bytes : one.cache_bytes) put_varint(out, bytes);
  put_varint(out, one.cpu_sample_ns);
  put_varint(out, one.not_recorded.size());
  for (const auto& what : one.not_recorded) put_text(out, what);
  put_text(out, one.architecture);
  put_varint(out, one.clock_ps);
  put_varint(out, one.begins);
  return record_of(record::process, out);
}

std::string to_bytes(const module_info& one) {
  std::string out;
  put_varint(out, one.time);
  put_text(out, one.path);
  put_text(out, one.build_id);
  put_varint(out, one.load_bias);
  put_varint(out, one.segments.size());
  for (const segment& part : one.segments) {
    put_varint(out, part.address);
    put_varint(out, part.bytes);
  }
  put_varint(out, one.first_stack);
  return record_of(record::module, out);
}

std::string unload_to_bytes(std::uint64_t time, std::uint64_t load_bias, std::uint32_t last_stack) {
  std::string out;
  put_varint(out, time);
  put_varint(out, load_bias);
  put_varint(out, last_stack);
  return record_of(record::unload, out);
}

std::string to_bytes(const thread_info& one) {
  std::string out;
  put_varint(out, one.id);
  put_varint(out, one.tid);
  put_text(out, one.name);
  put_varint(out, one.started);
  put_varint(out, one.ended);
  return record_of(record::thread, out);
}

std::string to_bytes(name_kind kind, std::uint64_t id, std::string_view text) {
  std::string out;
  put_varint(out, static_cast<std::uint64_t>(kind));
  put_varint(out, id);
  put_text(out, text);
  return record_of(record::name, out);
}

std::string to_bytes(const loss_info& one) {
  std::string out;
  put_varint(out, one.thread);
  put_varint(out, one.dropped);
  put_varint(out, one.waited_ns);
  return record_of(record::loss, out);
}

std::string to_bytes(std::span<const resident_sample> samples) {
  std::string out;
  resident_sample last;
  for (const resident_sample& one : samples) {
    put_difference(out, one.time, last.time);
    put_difference(out, one.bytes, last.bytes);
    last = one;
  }
  return record_of(record::resident, out);
}

std::string to_bytes(const end_info& one) {
  std::string out;
  put_varint(out, one.time);
  put_varint(out, static_cast<std::uint64_t>(one.how));
  put_varint(out, one.status);
  return record_of(record::end, out);
}

void read_facts(std::string_view records, trace_facts& facts) {
  byte_reader in(records);
  while (!in.done()) {
    const std::uint64_t kind = in.varint();
    const byte_reader body(in.text());
    switch (kind) {
      case record::process:
        facts.process = read_process(body);
        break;
      case record::module:
        facts.modules.push_back(read_module(body));
        break;
      case record::unload:
        read_unload(body, facts.modules);
        break;
      case record::thread: {
        thread_info one = read_thread(body);
        facts.threads[one.id] = one;
        break;
      }
      case record::name:
        read_name(body, facts);
        break;
      case record::loss: {
        const loss_info one = read_loss(body);
        facts.losses[one.thread] = one;
        break;
      }
      case record::resident:
        read_resident(body, facts.resident);
        break;
      case record::end:
        facts.end = read_end(body);
        break;
      default:
        break;  // of a later version
    }
  }
}

std::string name_of(const trace_facts& facts, name_kind kind, std::uint64_t id) {
  const auto found = facts.names.find({kind, id});
  return found != facts.names.end() ? found->second : std::to_string(id).insert(0, 1, '#');
}

std::string thread_name(const trace_facts& facts, std::uint32_t thread) {
  const auto found = facts.threads.find(thread);
  std::string name = "thread " + std::to_string(thread);
  if (found != facts.threads.end() && !found->second.name.empty()) name += " " + found->second.name;
  return name;
}

}  // namespace mallard::profile
