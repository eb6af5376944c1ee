#include "replay/program.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace mallard::replay {
namespace {

constexpr std::uint64_t program_mark = 0x6d61'6c6c'7265'7031;  // "mallrep1"
// Above the descriptors that programs choose for their own channels.
constexpr int lowest_file = 16;

struct file_head {
  std::uint64_t mark = program_mark;
  std::uint64_t lanes = 0;
  std::uint64_t operations = 0;
  std::uint64_t walks = 0;
  std::uint64_t sample_sizes = 0;
  program_facts facts;
};

[[noreturn]] void throw_errno(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void write_all(int file, const void* from, std::size_t bytes) {
  const auto* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t done = ::write(file, at, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) throw_errno("writing a program to replay");
    at += done;
    bytes -= static_cast<std::size_t>(done);
  }
}

template <class T>
void write_all(int file, const std::vector<T>& values) {
  write_all(file, values.data(), values.size() * sizeof(T));
}

}  // namespace

shared_program::shared_program(const program& made) {
  const int first = memfd_create("mallard replay", 0);
  if (first < 0) throw_errno("memfd_create");
  file_ = fcntl(first, F_DUPFD, lowest_file);
  close(first);
  if (file_ < 0) throw_errno("sharing a program to replay, which takes 16 open files (ulimit -n)");
  try {
    file_head head;
    head.lanes = made.lanes.size();
    head.walks = made.walks.size();
    head.sample_sizes = made.sample_sizes.size();
    head.facts = made.facts;
    std::vector<std::uint64_t> ends;
    for (const auto& lane : made.lanes) ends.push_back(head.operations += lane.size());
    write_all(file_, &head, sizeof head);
    write_all(file_, ends);
    for (const auto& lane : made.lanes) write_all(file_, lane);
    write_all(file_, made.walks);
    write_all(file_, made.sample_sizes);
  } catch (...) {
    close(file_);
    throw;
  }
}

shared_program::~shared_program() {
  close(file_);
}

program_view::program_view(int file) {
  struct stat status{};
  if (fstat(file, &status) != 0) throw_errno("a program to replay");
  bytes_ = static_cast<std::size_t>(status.st_size);
  if (bytes_ < sizeof(file_head)) throw std::runtime_error("there is no program to replay");
  void* const mapped = mmap(nullptr, bytes_, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
  if (mapped == MAP_FAILED) throw_errno("mapping a program to replay");
  start_ = static_cast<const std::byte*>(mapped);
  file_head head;
  std::memcpy(&head, start_, sizeof head);
  const std::uint64_t expected = sizeof head + head.lanes * sizeof(std::uint64_t) +
                                 head.operations * sizeof(operation) +
                                 (head.walks + head.sample_sizes) * sizeof(std::uint32_t);
  if (head.mark != program_mark || expected != bytes_) {
    munmap(mapped, bytes_);
    throw std::runtime_error("there is no program to replay");
  }
  facts_ = &reinterpret_cast<const file_head*>(start_)->facts;
  lanes_ = head.lanes;
  const std::byte* at = start_ + sizeof head;
  const auto take = [&]<class T>(std::span<const T>& to, std::size_t count) {
    to = {reinterpret_cast<const T*>(at), count};
    at += count * sizeof(T);
  };
  take(lane_ends_, head.lanes);
  take(operations_, head.operations);
  take(walks_, head.walks);
  take(sample_sizes_, head.sample_sizes);
}

program_view::~program_view() {
  munmap(const_cast<std::byte*>(start_), bytes_);
}

std::span<const operation> program_view::lane(std::size_t number) const {
  const std::uint64_t begin = number == 0 ? 0 : lane_ends_[number - 1];
  return operations_.subspan(begin, lane_ends_[number] - begin);
}

}  // namespace mallard::replay
