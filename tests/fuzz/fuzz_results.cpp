// Fuzzes the reader of result files: whatever the bytes, it either reads them or says in one line
// what is wrong; and what it has read can be written and read again.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "fuzz/fuzzed_file.hpp"
#include "lab/results/results.hpp"

namespace {

using mallard_test::broken;
using mallard_test::memory_file;

void read_write_and_read_again(const mallard::lab::result_file& first) {
  std::string text = to_line(first.run) + "\n";
  for (const auto& cell : first.cells) text += to_line(cell) + "\n";
  const memory_file file(text);
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
  const memory_file file(std::string_view(reinterpret_cast<const char*>(data), size));
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
