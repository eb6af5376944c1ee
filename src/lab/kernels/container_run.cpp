#include "lab/kernels/container_run.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <vector>

#include "lab/kernels/barrier.hpp"
#include "lab/measuring/meters.hpp"
#include "lab/measuring/private_heap.hpp"

namespace mallard::lab {
namespace {

// The minimal warm-up. One run of a small container would neither touch all memory of later runs
// nor bring the heap to a steady state.
constexpr double warm_up_seconds = 0.002;

double read_wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The caller's buffer. Only the warm-up touches its pages first: before the clock starts, and only
// those that the workload uses. So the resident set is true.
class mapped_buffer {
 public:
  explicit mapped_buffer(std::size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    madvise(mapped, bytes, MADV_HUGEPAGE);  // a hint only
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

std::uint64_t runs_for(const container_run& what, double seconds_per_run) {
  const std::uint64_t nominal = std::max<std::uint64_t>(1, what.leaves / what.leaves_per_run);
  if (what.paper || seconds_per_run <= 0) return nominal;
  return std::max(nominal,
                  static_cast<std::uint64_t>(std::ceil(what.min_seconds / seconds_per_run)));
}

struct warmth {
  double seconds_per_run;  // in the last batch
  std::uint64_t checksum;  // of the first run
};

// Runs until the state is steady.
warmth warm_up(const container_run& what, container_work state) {
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

}  // namespace

void build_and_drop(const container_run& what, const circumstances& around, readings& taken) {
  std::vector<char> text(text_bytes);
  write_text(text, what.seed);
  const std::uint64_t base_resident = read_resident_bytes();
  if (what.uses_heap) make_heap_private();

  // Untouched address space must not exceed a limit.
  const std::uint64_t buffer_bytes = around.memory_limit > 0
                                         ? std::min(what.buffer_bytes, around.memory_limit / 2)
                                         : what.buffer_bytes;
  const double setup_start = read_wall_seconds();
  const mapped_buffer own_buffer(what.paper ? 0 : buffer_bytes);
  const auto fresh = [&] {
    container_work state;
    state.outer_elements = what.outer_elements;
    state.text = text.data();
    state.random = random_stream(what.seed);
    state.zero = *launder_pointer(&state.zero);
    if (buffer_bytes > 0) state.buffer = what.paper ? around.buffer : own_buffer.span();
    return state;
  };
  std::uint64_t runs = around.hint;
  if (what.paper) {
    runs = runs_for(what, 0);  // the original runs cold, a fixed number of times
  } else {
    const warmth warm = warm_up(what, fresh());
    taken.checksum = warm.checksum;
    if (runs == 0) runs = runs_for(what, warm.seconds_per_run);
  }
  const double setup = read_wall_seconds() - setup_start;

  container_work state = fresh();
  reset_peak_resident();
  const page_faults faults_before = read_page_faults();
  // The original uses wall-clock time.
  const auto read_seconds = what.paper ? read_wall_seconds : read_thread_seconds;
  const double start = read_seconds();
  what.run(state, runs);
  const double elapsed = read_seconds() - start;
  const page_faults faults_after = read_page_faults();
  const std::uint64_t resident = read_peak_resident_bytes();
  if (what.paper) taken.checksum = state.checksum;
  taken.hint = runs;
  const auto count = static_cast<double>(runs);
  taken.add("time", elapsed / (count * static_cast<double>(what.leaves_per_run)));
  taken.add("rss", static_cast<double>(resident));
  taken.add("base_rss", static_cast<double>(base_resident));
  taken.add("minor_faults", static_cast<double>(faults_after.minor - faults_before.minor));
  taken.add("major_faults", static_cast<double>(faults_after.major - faults_before.major));
  taken.add("setup", setup);
  taken.add("runs", count);
}

void write_text(std::span<char> text, std::uint64_t seed) {
  random_stream random(seed);
  for (char& one : text) one = static_cast<char>(' ' + random.below('~' - ' ' + 1));
}

}  // namespace mallard::lab
