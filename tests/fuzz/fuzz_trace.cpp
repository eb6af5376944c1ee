// Fuzzes the reader of traces and the analysis: whatever the bytes, they are read as far as they
// make sense, or refused in one line. The fuzzer cannot know zstd or checksums, so the input is the
// contents of chunks, which are framed here; its first byte says whether to take it as a whole
// file.
#include <cstdint>
#include <stdexcept>
#include <string>

#include "fuzz/fuzzed_file.hpp"
#include "profile/analysis.hpp"
#include "profile/sites.hpp"
#include "profile/trace/chunk.hpp"
#include "profile/trace/trace_reader.hpp"

namespace {

using namespace mallard::profile;

using mallard_test::broken;
using mallard_test::memory_file;

// Pieces of the input as chunks: a byte for the kind, one for the thread, one for the length.
std::string framed(std::string_view input) {
  std::string out(trace_magic);
  store_number(out, trace_version, 4);
  store_number(out, 0, 4);
  static compressor frames;
  while (input.size() >= 3) {
    const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(input[at]); };
    const std::string_view raw = input.substr(3, byte(2));
    const std::string frame = frames.compress(raw);
    chunk_header header;
    header.kind = static_cast<chunk_kind>(1 + byte(0) % 6);
    header.thread = byte(1) % 4;
    header.count = byte(0);
    header.raw_bytes = static_cast<std::uint32_t>(raw.size());
    header.bytes = static_cast<std::uint32_t>(frame.size());
    header.last_time = UINT64_MAX;
    out += to_bytes(header) + frame;
    input.remove_prefix(3 + raw.size());
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const memory_file file(data[0] % 2 ? framed(input) : std::string(input));
  try {
    trace_reader trace(file.path());
    const function_table functions(trace);
    analysis_options options;
    options.windows = 4;
    const dims_result result = analyse(trace, functions, options);
    if (result.total.live_blocks > result.total.allocations + result.total.reallocations) {
      broken("what lives was allocated");
    }
    for (const arena_scope& one : result.arena_scopes) {
      if (one.dead_share < 0 || one.dead_share > 1) broken("a share is a share");
    }
    for (const std::string& line : result.problems) {
      if (line.find('\n') != std::string::npos) broken("a problem is one line");
    }
    list_sites(trace, functions, true);
  } catch (const std::runtime_error& problem) {
    if (std::string(problem.what()).find('\n') != std::string::npos)
      broken("the message is one line");
  }
  return 0;
}
