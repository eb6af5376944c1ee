#include "lab/child.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <vector>

#include "lab/kernels/barrier.hpp"
#include "lab/memory_limit.hpp"
#include "lab/meters.hpp"
#include "lab/private_heap.hpp"

namespace mallard::lab {
namespace {

// The warm-up goes on at least this long: one run of a small container would neither touch all the
// memory that later runs touch nor bring the heap into a steady state.
constexpr double warm_up_seconds = 0.002;

double read_wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The caller's buffer. Its pages are touched first by the warm-up, that is, before the clock starts
// and no more of them than the workload uses, so that the resident set stays a true figure.
class mapped_buffer {
 public:
  explicit mapped_buffer(std::size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    madvise(mapped, bytes, MADV_HUGEPAGE);  // only advice
    data_ = static_cast<std::byte*>(mapped);
  }
  ~mapped_buffer() {
    if (data_) munmap(data_, bytes_);
  }
  mapped_buffer(const mapped_buffer&) = delete;
  mapped_buffer& operator=(const mapped_buffer&) = delete;

  std::span<std::byte> span() const { return {data_, data_ ? bytes_ : 0}; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_;
};

std::uint64_t runs_for(const job& what, double seconds_per_run) {
  const std::uint64_t nominal = std::max<std::uint64_t>(1, what.leaves / what.leaves_per_run);
  if (what.paper || seconds_per_run <= 0) return nominal;
  return std::max(nominal,
                  static_cast<std::uint64_t>(std::ceil(what.min_seconds / seconds_per_run)));
}

struct warmth {
  double seconds_per_run;  // of the last batch
  std::uint64_t checksum;  // of the first run
};

// Runs until the state is steady.
warmth warm_up(const job& what, work state) {
  std::uint64_t first_checksum = 0;
  const double start = read_wall_seconds();
  for (std::uint64_t batch = 1;; batch *= 2) {
    const double batch_start = read_wall_seconds();
    what.run(state, batch);
    const double per_run = (read_wall_seconds() - batch_start) / static_cast<double>(batch);
    if (batch == 1) first_checksum = state.checksum;
    if (read_wall_seconds() - start >= warm_up_seconds) return {per_run, first_checksum};
  }
}

measurement measure_or_throw(const job& what, std::span<std::byte> paper_buffer) {
  limit_memory(what.memory_limit);
  measurement result;
  std::vector<char> text(text_bytes);
  write_text(text, what.seed);
  result.base_rss_bytes = read_resident_bytes();

  if (what.uses_heap) make_heap_private();

  const double setup_start = read_wall_seconds();
  const mapped_buffer own_buffer(what.paper ? 0 : what.buffer_bytes);
  const auto fresh = [&] {
    work state;
    state.outer_elements = what.outer_elements;
    state.text = text.data();
    state.random = random_stream(what.seed);
    state.zero = *launder_pointer(&state.zero);
    if (what.buffer_bytes > 0) state.buffer = what.paper ? paper_buffer : own_buffer.span();
    return state;
  };
  result.runs = what.runs;
  if (what.paper) {
    result.runs = runs_for(what, 0);  // the original runs cold, and a fixed number of times
  } else {
    const warmth warm = warm_up(what, fresh());
    result.checksum = warm.checksum;
    if (result.runs == 0) result.runs = runs_for(what, warm.seconds_per_run);
  }
  result.setup_seconds = read_wall_seconds() - setup_start;

  work state = fresh();
  reset_peak_resident();
  const page_faults faults_before = read_page_faults();
  // The original looked at the clock on the wall.
  const auto read_seconds = what.paper ? read_wall_seconds : read_thread_seconds;
  const double start = read_seconds();
  what.run(state, result.runs);
  const double elapsed = read_seconds() - start;
  const page_faults faults_after = read_page_faults();
  result.rss_bytes = read_peak_resident_bytes();
  result.minor_faults = faults_after.minor - faults_before.minor;
  result.major_faults = faults_after.major - faults_before.major;
  if (what.paper) result.checksum = state.checksum;
  result.seconds = elapsed * static_cast<double>(what.leaves) /
                   (static_cast<double>(result.runs) * static_cast<double>(what.leaves_per_run));
  return result;
}

}  // namespace

void write_text(std::span<char> text, std::uint64_t seed) {
  random_stream random(seed);
  for (char& one : text) one = static_cast<char>(' ' + random.below('~' - ' ' + 1));
}

outcome measure_repetition(const job& what, std::span<std::byte> paper_buffer) noexcept {
  outcome result;
  measure_or_fail(result, [&] { result.measured = measure_or_throw(what, paper_buffer); });
  return result;
}

}  // namespace mallard::lab
