// Fuzzes the reader of result files: whatever the bytes, it either reads them or says in one line
// what is wrong; and what it has read can be written and read again.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "lab/results/results.hpp"

namespace {

// A file in memory, as the reader takes a path.
class memory_file {
 public:
  memory_file(const void* data, std::size_t size) : fd_(memfd_create("results", 0)) {
    if (fd_ < 0 || write(fd_, data, size) != static_cast<ssize_t>(size)) std::abort();
  }
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;
  ~memory_file() { close(fd_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

[[noreturn]] void broken(const char* promise) {
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

void read_write_and_read_again(const mallard::lab::result_file& first) {
  std::string text = to_line(first.run) + "\n";
  for (const auto& cell : first.cells) text += to_line(cell) + "\n";
  const memory_file file(text.data(), text.size());
  const auto second = mallard::lab::load_results(file.path());
  if (second.cells.size() != first.cells.size()) broken("every cell comes back");
  for (std::size_t i = 0; i < first.cells.size(); ++i) {
    if (second.cells[i].key() != first.cells[i].key()) broken("a cell keeps its key");
    if (second.cells[i].measures.size() != first.cells[i].measures.size()) {
      broken("a cell keeps its measures");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const memory_file file(data, size);
  mallard::lab::result_file results;
  try {
    results = mallard::lab::load_results(file.path());
  } catch (const std::runtime_error& e) {
    const std::string message = e.what();
    if (message.empty()) broken("the message says something");
    if (message.find('\n') != std::string::npos) broken("the message is one line");
    return 0;
  }
  read_write_and_read_again(results);
  return 0;
}
