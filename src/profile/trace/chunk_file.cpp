#include "profile/trace/chunk_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "profile/trace/varint.hpp"

namespace mallard::profile {

chunk_file::chunk_file(const std::string& path)
    : path_(path),
      file_(open(path == "-" ? "/dev/stdin" : path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (file_ < 0) throw std::runtime_error(path + ": " + std::strerror(errno));
  struct stat about{};
  try {
    if (fstat(file_, &about) == 0 && S_ISDIR(about.st_mode)) {
      throw std::runtime_error(path + ": a folder, not a trace");
    }
    if (!S_ISREG(about.st_mode)) {
      throw std::runtime_error(path +
                               ": not a file; a trace is not read from front to back, so none "
                               "can come through a pipe");
    }
    bytes_ = static_cast<std::uint64_t>(about.st_size);
    const std::string header = read(0, trace_header_bytes);
    if (header.starts_with(ELFMAG) || header.starts_with("#!")) {
      throw std::runtime_error(path + ": a program, not a trace; a command to run comes after --");
    }
    if (header.size() < trace_header_bytes || !header.starts_with(trace_magic)) {
      throw std::runtime_error(path + ": not a trace of mallard");
    }
    const std::uint64_t version = load_number(header, trace_magic.size(), 4);
    if (version != trace_version) {
      throw std::runtime_error(path + ": a trace of version " + std::to_string(version) +
                               ", and only version " + std::to_string(trace_version) +
                               " can be read");
    }
    if (!read_index()) {
      scan(trace_header_bytes);
      if (chunks_.empty()) throw std::runtime_error(path + ": nothing but a trace's beginning");
      problems_.push_back(path_ + ": the trace was not finished; some of it may be missing");
    }
  } catch (...) {
    close(file_);
    throw;
  }
}

chunk_file::~chunk_file() {
  close(file_);
}

std::string chunk_file::read(std::uint64_t offset, std::size_t bytes) const {
  std::string out(bytes, '\0');
  std::size_t have = 0;
  while (have < bytes) {
    const ssize_t got =
        pread(file_, out.data() + have, bytes - have, static_cast<off_t>(offset + have));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  out.resize(have);
  return out;
}

bool chunk_file::read_index() {
  if (bytes_ < trace_header_bytes + chunk_header_bytes + trace_footer_bytes) return false;
  const std::string footer = read(bytes_ - trace_footer_bytes, trace_footer_bytes);
  if (footer.size() < trace_footer_bytes || !footer.ends_with(end_mark)) return false;
  chunk_place index;
  index.offset = load_number(footer, 0, 8);
  if (index.offset > bytes_ - trace_footer_bytes) return false;
  const auto header = parse_chunk_header(read(index.offset, chunk_header_bytes));
  if (!header || header->kind != chunk_kind::index) return false;
  // Else it is another trace's, in front of which this one was put.
  const std::uint64_t end = index.offset + chunk_header_bytes + header->bytes;
  if (end + trace_footer_bytes != bytes_) return false;
  index.header = *header;
  std::string raw;
  constexpr std::size_t entry = 8 + chunk_header_bytes;
  if (!load(index, raw) || raw.size() % entry != 0) return false;
  for (std::size_t at = 0; at < raw.size(); at += entry) {
    const std::string_view one = std::string_view(raw).substr(at, entry);
    const auto described = parse_chunk_header(one.substr(8));
    if (!described) return false;
    chunks_.push_back({load_number(one, 0, 8), *described});
  }
  return true;
}

// Chunk after chunk; where there is none, on to the next place that looks like one, unless another
// trace was put behind this one: its stacks and functions have numbers of their own.
void chunk_file::scan(std::uint64_t from) {
  chunks_.clear();
  std::uint64_t at = from;
  while (at < bytes_) {
    const auto header = parse_chunk_header(read(at, chunk_header_bytes));
    if (header && at + chunk_header_bytes + header->bytes <= bytes_) {
      if (header->kind != chunk_kind::index) chunks_.push_back({at, *header});
      at += chunk_header_bytes + header->bytes;
      continue;
    }
    const std::uint64_t next = next_header(at + 1);
    const std::size_t mark = read(at, std::min<std::uint64_t>(next - at, 4096)).find(trace_magic);
    if (mark != std::string::npos) {
      problems_.push_back(path_ + ": another trace begins at " + std::to_string(at + mark) +
                          "; only the first is read");
      return;
    }
    const std::string where = std::to_string(next - at) + " bytes at " + std::to_string(at);
    problems_.push_back(path_ + (next < bytes_
                                     ? ": damaged: " + where + " are not readable"
                                     : ": cut off: the last " + where + " are not readable"));
    at = next;
  }
}

// Returns the offset of the next header with a right checksum, or the end of the file.
std::uint64_t chunk_file::next_header(std::uint64_t from) const {
  constexpr std::size_t step = 1 << 16;
  for (std::uint64_t at = from; at < bytes_; at += step) {
    const std::string some = read(at, step + chunk_header_bytes);
    for (std::size_t found = some.find(chunk_mark); found != some.npos && found < step;
         found = some.find(chunk_mark, found + 1)) {
      if (parse_chunk_header(std::string_view(some).substr(found))) return at + found;
    }
  }
  return bytes_;
}

bool chunk_file::load(const chunk_place& place, std::string& out) {
  if (interrupted_ != nullptr && interrupted_()) throw reading_interrupted();
  const std::string bytes =
      read(place.offset, chunk_header_bytes + static_cast<std::size_t>(place.header.bytes));
  try {
    if (parse_chunk_header(bytes) != place.header)
      throw malformed("a chunk is not where it should be");
    const std::string_view frame = std::string_view(bytes).substr(chunk_header_bytes);
    if (frame.size() != place.header.bytes) throw malformed("a chunk is cut off");
    decompressor_.decompress(frame, place.header.raw_bytes, out);
    return true;
  } catch (const malformed& problem) {
    add_problem(place, problem.what());
    return false;
  }
}

void chunk_file::add_problem(const chunk_place& place, const std::string& what) {
  std::string line = path_ + ": damaged at byte " + std::to_string(place.offset) + ": " + what;
  if (place.header.kind == chunk_kind::events) {
    line += "; up to " + std::to_string(place.header.count) + " events of thread " +
            std::to_string(place.header.thread) + " are missing";
  }
  // A chunk is loaded as often as the events are read.
  if (std::find(problems_.begin(), problems_.end(), line) == problems_.end()) {
    problems_.push_back(std::move(line));
  }
}

}  // namespace mallard::profile
