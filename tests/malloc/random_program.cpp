#include "malloc/random_program.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <exception>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "support/choices.hpp"
#include "support/require.hpp"

namespace malloc_test {
namespace {

using mallard_test::require;

struct block {
  unsigned char* p = nullptr;
  std::size_t bytes = 0;
  unsigned char mark = 0;
};

// The contents tell the block, and where in it one is: whatever moves shows.
unsigned char byte_at(const block& b, std::size_t i) {
  return static_cast<unsigned char>(b.mark + i * 7);
}

// The ends of a large block and some places between.
template <class Visit>
void for_each_place(std::size_t bytes, Visit visit) {
  constexpr std::size_t whole = 4096;
  for (std::size_t i = 0; i < std::min(bytes, whole); ++i) visit(i);
  for (std::size_t i = whole; i + whole < bytes; i += 509) visit(i);
  for (std::size_t i = bytes > whole ? bytes - whole : 0; i < bytes; ++i) visit(i);
}

void fill(const block& b) {
  for_each_place(b.bytes, [&](std::size_t i) { b.p[i] = byte_at(b, i); });
}

void expect_contents(const block& b, std::size_t bytes) {
  for_each_place(bytes, [&](std::size_t i) {
    require(b.p[i] == byte_at(b, i), "a block was written to by another");
  });
}

// Live blocks by address.
class address_map {
 public:
  void add(const block& b) {
    const std::lock_guard hold(lock_);
    const auto [at, is_new] = blocks_.emplace(b.p, b.bytes);
    require(is_new, "a block was handed out twice");
    require(std::next(at) == blocks_.end() || b.p + b.bytes <= std::next(at)->first,
            "a block overlaps the next one");
    require(at == blocks_.begin() || std::prev(at)->first + std::prev(at)->second <= b.p,
            "a block overlaps the one before");
  }
  void remove(const block& b) {
    const std::lock_guard hold(lock_);
    require(blocks_.erase(b.p) == 1, "a block was lost");
  }

 private:
  std::mutex lock_;
  std::map<unsigned char*, std::size_t> blocks_;
};

class program {
 public:
  program(const malloc_calls& calls, const program_shape& shape)
      : calls_(calls), shape_(shape), shared_(shape.live) {}

  void run(std::uint64_t seed) {
    std::vector<std::thread> threads;
    for (unsigned t = 1; t < shape_.threads; ++t)
      threads.emplace_back([=, this] { work(seed, t); });
    work(seed, 0);
    for (std::thread& t : threads) t.join();
    if (failure_) std::rethrow_exception(failure_);
    for (slot& s : shared_) release(s.held);
  }

 private:
  struct slot {
    std::mutex lock;
    block held;
  };

  void work(std::uint64_t seed, unsigned thread) {
    try {
      mallard_test::choices decide(seed * 1000 + thread, ~std::size_t{0});
      for (std::size_t i = 0; i < shape_.steps && !stop_; ++i) step(decide);
    } catch (...) {
      const std::lock_guard hold(failure_lock_);
      failure_ = std::current_exception();
      stop_ = true;
    }
  }

  // Small ones are many; all magnitudes occur.
  std::size_t some_bytes(mallard_test::choices& decide) const {
    const auto most = static_cast<std::size_t>(std::bit_width(shape_.largest_bytes));
    const std::size_t magnitude = decide.below(decide.below(8) == 0 ? most : std::min(most, 11ul));
    const std::size_t least = std::size_t{1} << magnitude;
    return std::min(shape_.largest_bytes, least - 1 + decide.below(65536) * least / 65536);
  }

  // Takes what another thread may have put into a slot, and puts something else there.
  void step(mallard_test::choices& decide) {
    slot& s = shared_[decide.below(shared_.size())];
    const std::lock_guard hold(s.lock);
    if (s.held.p == nullptr) {
      s.held = allocate(decide);
    } else if (decide.below(4) == 0) {
      resize(s.held, std::max<std::size_t>(some_bytes(decide), 1));
    } else {
      release(s.held);
    }
  }

  block allocate(mallard_test::choices& decide) {
    const std::size_t bytes = some_bytes(decide);
    block b{nullptr, bytes, static_cast<unsigned char>(decide.below(256))};
    std::size_t alignment = 16;
    switch (decide.below(8)) {
      case 0:
        alignment = std::size_t{8} << decide.below(14);
        b.p = static_cast<unsigned char*>(calls_.allocate_aligned(bytes, alignment));
        break;
      case 1:
        b.p = static_cast<unsigned char*>(calls_.allocate_zeroed(bytes));
        require(b.p != nullptr, "out of memory");
        for_each_place(bytes, [&](std::size_t i) { require(b.p[i] == 0, "not zeroed"); });
        break;
      default:
        b.p = static_cast<unsigned char*>(calls_.allocate(bytes));
    }
    require(b.p != nullptr, "out of memory");
    require(reinterpret_cast<std::uintptr_t>(b.p) % std::max(alignment, std::size_t{16}) == 0,
            "not aligned");
    begin(b);
    return b;
  }

  void begin(const block& b) {
    require(calls_.usable_bytes(b.p) >= b.bytes, "too small");
    addresses_.add(b);
    fill(b);
  }

  void resize(block& b, std::size_t bytes) {
    expect_contents(b, b.bytes);
    addresses_.remove(b);
    auto* const p = static_cast<unsigned char*>(calls_.reallocate(b.p, bytes));
    require(p != nullptr, "out of memory");
    b.p = p;
    // The places looked at depend on the size: of those of the new one, those that were filled.
    const std::size_t kept = std::min({b.bytes, bytes, std::size_t{4096}});
    expect_contents(b, kept);
    b.bytes = bytes;
    begin(b);
  }

  void release(block& b) {
    if (b.p == nullptr) return;
    expect_contents(b, b.bytes);
    addresses_.remove(b);
    calls_.deallocate(b.p);
    b.p = nullptr;
  }

  const malloc_calls& calls_;
  program_shape shape_;
  std::vector<slot> shared_;
  address_map addresses_;
  std::mutex failure_lock_;
  std::exception_ptr failure_;
  std::atomic<bool> stop_{false};
};

}  // namespace

void run_program(const malloc_calls& calls, const program_shape& shape, std::uint64_t seed) {
  program(calls, shape).run(seed);
}

}  // namespace malloc_test
