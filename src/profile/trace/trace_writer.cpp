#include "profile/trace/trace_writer.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "profile/trace/facts.hpp"

namespace mallard::profile {
namespace {

// Symbols are written a few thousand at a time, so that no chunk is too large to be read.
constexpr std::size_t symbols_of_chunk = 4096;

// Empty, and nobody else's who writes a trace: of two in one file neither could be read.
int open_alone(const std::string& path) {
  const int file = open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
  if (file < 0) throw std::system_error(errno, std::generic_category(), path);
  // If files cannot be locked, go on as if nobody else wrote.
  const bool is_taken = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (!is_taken && (ftruncate(file, 0) == 0 || errno == EINVAL)) return file;  // a pipe has no size
  const int error = is_taken ? EBUSY : errno;
  close(file);
  throw std::system_error(error, std::generic_category(),
                          is_taken ? path + ": another recording writes to it" : path);
}

}  // namespace

trace_writer::trace_writer(const std::string& path, const process_info& process)
    : file_(open_alone(path)), path_(path) {
  std::string header(trace_magic);
  store_number(header, trace_version, 4);
  store_number(header, 0, 4);
  put(header);
  facts_ += to_bytes(process);
  ++fact_count_;
  write_facts();
}

trace_writer::~trace_writer() {
  if (file_ >= 0) close(file_);
}

void trace_writer::module(const module_info& one) {
  module_info numbered = one;
  numbered.first_stack = stacks_.size();
  facts_ += to_bytes(numbered);
  ++fact_count_;
  modules_.push_back(numbered);
}

void trace_writer::unmodule(std::uint64_t time, std::uint64_t load_bias) {
  facts_ += unload_to_bytes(time, load_bias, stacks_.size());
  ++fact_count_;
  const auto found = std::find_if(modules_.rbegin(), modules_.rend(), [&](const module_info& one) {
    return one.load_bias == load_bias && one.unloaded == UINT64_MAX;
  });
  if (found == modules_.rend()) return;
  found->unloaded = time;
  found->last_stack = stacks_.size();
  for (const segment& part : found->segments) {
    stacks_.forget(load_bias + part.address, load_bias + part.address + part.bytes);
  }
}

void trace_writer::thread(const thread_info& one) {
  facts_ += to_bytes(one);
  ++fact_count_;
}

void trace_writer::name(name_kind kind, std::uint64_t id, std::string_view text) {
  facts_ += to_bytes(kind, id, text);
  ++fact_count_;
}

void trace_writer::loss(const loss_info& one) {
  facts_ += to_bytes(one);
  ++fact_count_;
}

void trace_writer::resident(std::span<const resident_sample> samples) {
  if (samples.empty()) return;
  facts_ += to_bytes(samples);
  ++fact_count_;
}

void trace_writer::end(const end_info& one) {
  facts_ += to_bytes(one);
  ++fact_count_;
}

void trace_writer::events(std::uint32_t thread, std::span<const event> some) {
  event_encoder& encoder = threads_.try_emplace(thread, models_).first->second.events;
  for (const event& one : some) {
    if (encoder.full()) write_events(thread, encoder);
    encoder.add(one);
  }
  event_count_ += some.size();
}

void trace_writer::cpu_samples(std::uint32_t thread, std::span<const cpu_sample> some) {
  auto& samples = threads_.try_emplace(thread, models_).first->second.samples;
  samples.insert(samples.end(), some.begin(), some.end());
  if (samples.size() >= event_encoder::most) write_samples(thread, samples);
}

void trace_writer::symbols(const symbol_table& table) {
  flush();
  symbol_table part;
  std::map<std::uint32_t, std::uint32_t> local{{0, 0}};  // strings of the part
  const auto index = [&](std::uint32_t text) {
    const auto [at, fresh] =
        local.try_emplace(text, static_cast<std::uint32_t>(part.strings.size()));
    if (fresh) part.strings.push_back(table.strings[text]);
    return at->second;
  };
  const auto write = [&] {
    chunk_header header{.kind = chunk_kind::symbols};
    header.count = static_cast<std::uint32_t>(part.of.size());
    write_chunk(header, to_bytes(part));
    part = {};
    local = {{0, 0}};
  };
  for (const auto& [key, one] : table.of) {
    symbol copy = one;
    for (auto& line : copy.lines) {
      line.function = index(line.function);
      line.file = index(line.file);
    }
    part.of.emplace(key, std::move(copy));
    if (part.of.size() == symbols_of_chunk) write();
  }
  if (!part.of.empty()) write();
}

void trace_writer::flush() {
  for (auto& [thread, some] : threads_) {
    if (some.events.count() > 0) write_events(thread, some.events);
    if (!some.samples.empty()) write_samples(thread, some.samples);
  }
  write_stacks();
  write_facts();
}

bool trace_writer::finish() {
  if (file_ < 0) return error_.empty();
  flush();
  const std::uint64_t index_at = offset_;
  chunk_header header{.kind = chunk_kind::index};
  header.count = chunk_count_;
  write_chunk(header, std::string(index_));
  std::string footer;
  store_number(footer, index_at, 8);
  footer += end_mark;
  put(footer);
  if (close(file_) != 0 && error_.empty()) error_ = path_ + ": " + std::strerror(errno);
  file_ = -1;
  return error_.empty();
}

void trace_writer::write_events(std::uint32_t thread, event_encoder& events) {
  // Stacks that the events refer to come before them in the file.
  write_stacks();
  write_facts();
  chunk_header header{.kind = chunk_kind::events, .thread = thread};
  header.count = static_cast<std::uint32_t>(events.count());
  header.first_time = events.first_time();
  header.last_time = events.last_time();
  std::vector<std::size_t> ends;
  const std::string raw = events.take(&ends);
  write_chunk(header, raw, ends);
}

void trace_writer::write_samples(std::uint32_t thread, std::vector<cpu_sample>& samples) {
  write_stacks();
  std::string raw;
  chunk_header header{.kind = chunk_kind::located_samples, .thread = thread};
  header.count = static_cast<std::uint32_t>(samples.size());
  header.first_time = samples.front().time;
  std::uint64_t time = 0;
  std::uint64_t place = 0;
  for (const cpu_sample& one : samples) {
    const std::uint64_t next = one.time < time ? time : one.time;
    const std::uint64_t at = std::uint64_t{one.stack} << 1 | (one.in_heap ? 1U : 0U);
    put_varint(raw, next - time);
    put_difference(raw, at, place);
    time = next;
    place = at;
  }
  header.last_time = time;
  write_chunk(header, raw);
  samples.clear();
}

void trace_writer::write_facts() {
  if (fact_count_ == 0) return;
  chunk_header header{.kind = chunk_kind::facts};
  header.count = fact_count_;
  write_chunk(header, facts_);
  facts_.clear();
  fact_count_ = 0;
}

void trace_writer::write_stacks() {
  while (stacks_written_ < stacks_.size()) {
    const std::uint32_t last = std::min<std::uint32_t>(stacks_.size(), stacks_written_ + (1 << 18));
    chunk_header header{.kind = chunk_kind::stacks};
    header.count = last - stacks_written_;
    write_chunk(header, stacks_to_bytes(stacks_, stacks_written_, last));
    stacks_written_ = last;
  }
}

void trace_writer::write_chunk(chunk_header header, std::string_view raw,
                               std::span<const std::size_t> ends) {
  if (!error_.empty()) return;
  const std::string frame = compressor_.compress(raw, ends);
  header.raw_bytes = static_cast<std::uint32_t>(raw.size());
  header.bytes = static_cast<std::uint32_t>(frame.size());
  const std::string bytes = to_bytes(header);
  store_number(index_, offset_, 8);
  index_ += bytes;
  ++chunk_count_;
  put(bytes + frame);
}

void trace_writer::put(std::string_view bytes) {
  while (!bytes.empty() && error_.empty()) {
    const ssize_t written = write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      error_ = path_ + ": " + std::strerror(written < 0 ? errno : ENOSPC);
      return;
    }
    offset_ += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace mallard::profile
