// What an event takes in a trace, column by column, and what it costs to code, compress and decode:
// mallard_trace_bytes TRACE [unit of time, ns]
// Times are rounded down to multiples of the unit first.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "profile/trace/chunk.hpp"
#include "profile/trace/event_codec.hpp"
#include "profile/trace/trace_reader.hpp"

namespace {

using namespace mallard::profile;
using clock_type = std::chrono::steady_clock;

constexpr const char* names[codec::columns] = {"outcomes", "operations", "times",  "stacks",
                                               "sizes",    "addresses",  "others", "costs"};

double ns_since(clock_type::time_point begin) {
  return std::chrono::duration<double, std::nano>(clock_type::now() - begin).count();
}

// The columns of a chunk, as docs/trace.md describes them.
std::vector<std::string_view> columns_of(std::string_view raw) {
  byte_reader in(raw);
  in.varint();
  in.varint();
  for (std::uint64_t parts = 4 * in.varint(); parts > 0; --parts) in.byte();
  std::vector<std::uint64_t> bytes(codec::columns);
  for (auto& one : bytes) one = in.varint();
  std::vector<std::string_view> out;
  for (const std::uint64_t one : bytes) out.push_back(in.bytes(one));
  return out;
}

void measure(const std::string& path, std::uint64_t unit) {
  trace_reader trace(path);
  std::map<std::uint32_t, std::vector<event>> threads;
  std::uint64_t count = 0;
  auto events = trace.events();
  for (recorded one; events.next(one);) {
    if (one.sample) continue;
    one.what.time -= one.what.time % unit;
    threads[one.thread].push_back(one.what);
    ++count;
  }
  std::vector<std::string> chunks;
  std::vector<std::vector<std::size_t>> ends;
  const auto take = [&](event_encoder& encoder) {
    chunks.push_back(encoder.take(&ends.emplace_back()));
  };
  codec::model_pool models;
  auto begin = clock_type::now();
  for (const auto& [thread, some] : threads) {
    event_encoder encoder(models);
    for (const event& one : some) {
      if (encoder.full()) take(encoder);
      encoder.add(one);
    }
    take(encoder);
  }
  const double coding = ns_since(begin);
  compressor frames;
  std::size_t compressed = 0;
  begin = clock_type::now();
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    compressed += frames.compress(chunks[i], ends[i]).size();
  }
  const double compressing = ns_since(begin);
  begin = clock_type::now();
  std::uint64_t decoded = 0;
  for (const std::string& raw : chunks) {
    event_decoder decoder(raw, models);
    for (event one; decoder.next(one);) ++decoded;
  }
  const double decoding = ns_since(begin);
  if (decoded != count) throw std::runtime_error("events were lost");

  const auto of_event = [&](auto sum) {
    return static_cast<double>(sum) / static_cast<double>(count);
  };
  std::printf("%s: %llu events\n%-12s %8s %10s\n", path.c_str(),
              static_cast<unsigned long long>(count), "bytes", "coded", "compressed");
  std::size_t raw_bytes = 0;
  for (const std::string& raw : chunks) raw_bytes += raw.size();
  for (std::size_t i = 0; i < codec::columns; ++i) {
    std::size_t coded = 0;
    std::size_t alone = 0;
    for (const std::string& raw : chunks) {
      const std::string_view one = columns_of(raw)[i];
      coded += one.size();
      alone += frames.compress(one).size();
    }
    std::printf("%-12s %8.3f %10.3f\n", names[i], of_event(coded), of_event(alone));
  }
  std::printf("%-12s %8.3f %10.3f\n", "all", of_event(raw_bytes), of_event(compressed));
  std::printf("%-12s %8s %10.3f\n", "the file", "", of_event(trace.bytes()));
  std::printf("ns: coding %.0f, compressing %.0f, decoding %.0f\n", of_event(coding),
              of_event(compressing), of_event(decoding));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: mallard_trace_bytes TRACE [unit of time, ns]\n");
    return 2;
  }
  try {
    const std::uint64_t unit = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    measure(argv[1], unit == 0 ? 1 : unit);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "mallard_trace_bytes: %s\n", problem.what());
    return 1;
  }
}
