#include "replay/run.hpp"

#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <random>
#include <thread>

#include "replay/run_lanes.hpp"

namespace mallard::replay {
namespace {

constexpr std::size_t largest_buffer = std::size_t{64} << 20;

template <class Own, class Rest>
run_result run_plain(const program_view& what, const run_setting& how,
                     void (*fail)(std::string_view)) {
  return detail::run_lanes<Own, Rest>(what, how, 0, fail,
                                      [](auto) { return std::make_unique<Own>(); });
}

}  // namespace

namespace detail {

pages::pages(std::size_t bytes, page_state state) : bytes_(bytes) {
  const int populate = state == page_state::in_memory ? MAP_POPULATE : 0;
  void* const mapped = mmap(nullptr, std::max<std::size_t>(bytes, 1), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | populate, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  start_ = static_cast<std::byte*>(mapped);
}

pages::~pages() {
  munmap(start_, std::max<std::size_t>(bytes_, 1));
}

double time_lanes(std::size_t lanes, void* data, void (*play)(void* data, std::size_t number),
                  void (*fail)(std::string_view why)) {
  const auto one_lane = [=](std::size_t number) noexcept {
    try {
      play(data, number);
    } catch (const std::exception& wrong) {
      fail(wrong.what());
      std::abort();
    }
  };
  const auto time_lane = [&](std::size_t number) {
    const double start = thread_seconds();
    one_lane(number);
    return thread_seconds() - start;
  };
  if (lanes == 1) return time_lane(0);
  std::atomic<std::size_t> ready{0};
  std::atomic<bool> go{false};
  std::vector<double> taken(lanes);
  std::vector<std::thread> threads;
  threads.reserve(lanes);
  const auto lane = [&](std::size_t number) {
    ++ready;
    go.wait(false);
    taken[number] = time_lane(number);
  };
  try {
    for (std::size_t i = 0; i < lanes; ++i) threads.emplace_back(lane, i);
  } catch (const std::exception&) {
    fail("a thread cannot be created");
    std::abort();
  }
  while (ready < lanes) sched_yield();
  go = true;
  go.notify_all();
  for (std::thread& one : threads) one.join();
  return std::accumulate(taken.begin(), taken.end(), 0.0);
}

}  // namespace detail

run_function find_run(std::string_view strategy, std::string_view library) {
  if (library == no_library) {
    if (strategy == "AS1") return run_plain<global_heap, global_heap>;
    if (strategy == "AS2") return run_plain<abstract_global, global_heap>;
    if (strategy == nothing_strategy) return run_plain<nowhere, global_heap>;
    if (strategy == loop_strategy) return run_plain<nowhere, nowhere>;
    return nullptr;
  }
  if (library == "mallard") return detail::find_mallard_run(strategy);
  if (library == "std") return detail::find_std_run(strategy);
#if defined(MALLARD_REPLAY_BOOST)
  if (library == "boost") return detail::find_boost_run(strategy);
#endif
  return nullptr;
}

bool is_shared(std::string_view strategy) {
  static constexpr std::array shared = {std::string_view("AS1"),
                                        std::string_view("AS2"),
                                        std::string_view("sync"),
                                        std::string_view("mutex"),
                                        std::string_view("sync-heap"),
                                        nothing_strategy,
                                        loop_strategy};
  return std::find(shared.begin(), shared.end(), strategy) != shared.end();
}

bool is_monotonic(std::string_view strategy) {
  return strategy == "AS3" || strategy == "AS4" || strategy == "AS5" || strategy == "AS6";
}

bool is_winked_out(std::string_view strategy) {
  static constexpr std::array winked = {std::string_view("AS4"),  std::string_view("AS6"),
                                        std::string_view("AS8"),  std::string_view("AS10"),
                                        std::string_view("AS12"), std::string_view("AS14")};
  return std::find(winked.begin(), winked.end(), strategy) != winked.end();
}

std::size_t buffer_bytes(const program_facts& facts) {
  constexpr std::size_t least = 1024;
  return std::clamp<std::size_t>(facts.largest_epoch_bytes, least, largest_buffer);
}

void age_by_sizes(const program_view& what, std::uint64_t seed) {
  const auto sizes = what.sample_sizes();
  if (sizes.empty()) return;
  constexpr std::size_t fewest = 1u << 14;
  constexpr std::size_t most = 1u << 19;
  constexpr std::size_t most_bytes = std::size_t{256} << 20;
  constexpr std::size_t largest_block = 1u << 17;  // larger ones are mapped one by one
  const std::size_t wanted = std::clamp<std::size_t>(4 * what.facts().peak_blocks, fewest, most);
  detail::pages table(wanted * sizeof(void*), detail::page_state::in_memory);
  const std::span<void*> blocks(reinterpret_cast<void**>(table.all().data()), wanted);
  const auto size_of = [&](std::uint64_t drawn) {
    return std::clamp<std::size_t>(sizes[drawn % sizes.size()], 1, largest_block);
  };
  std::mt19937_64 random(seed);
  std::size_t count = 0;
  for (std::size_t bytes = 0; count < wanted && bytes < most_bytes; ++count) {
    const std::size_t size = size_of(random());
    bytes += size;
    void* const block = std::malloc(size);
    if (block == nullptr) throw std::bad_alloc();
    *static_cast<volatile char*>(block) = 1;
    blocks[count] = block;
  }
  const std::span<void*> there = blocks.first(count);
  std::shuffle(there.begin(), there.end(), random);
  // Three of four blocks are freed. Then half of the holes are reused in another order, so that
  // malloc has sorted them.
  const std::size_t kept = count / 4;
  for (void* block : there.subspan(kept)) std::free(block);
  const std::span<void*> again = there.subspan(kept, count / 2);
  for (void*& block : again) {
    block = std::malloc(size_of(random()));
    if (block == nullptr) throw std::bad_alloc();
  }
  std::shuffle(again.begin(), again.end(), random);
  for (void* block : again) std::free(block);
}

}  // namespace mallard::replay
