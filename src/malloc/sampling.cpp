#include "malloc/sampling.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "mallard/detail/core/holding.hpp"
#include "mallard/detail/os/pages.hpp"
#include "mallard/detail/os/uncancelled.hpp"
#include "malloc/lock.hpp"

namespace mallard::inline v1::detail {

alignas(64) constinit std::array<std::uint8_t, largest_class_bytes / malloc_alignment +
                                                   1> magazine_at_hand = magazine_by_block;
constinit std::atomic<std::uint32_t> sampling_period{0};
[[gnu::tls_model("initial-exec")]] constinit thread_local sample_counter sampling;

namespace {

constinit std::atomic<std::size_t> bytes_between_samples{0};
constinit std::atomic<std::size_t> calls_between_samples{0};
constinit futex_lock settings_lock;
[[gnu::tls_model("initial-exec")]] constinit thread_local std::uint64_t random_state = 0;

// The natural logarithm of a positive number, to nine digits: C's is not in this library.
double logarithm(double x) noexcept {
  constexpr double ln_2 = 0.693147180559945309;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto exponent = static_cast<int>(bits >> 52) - 1023;
  const double m =
      std::bit_cast<double>((bits & ~(std::uint64_t{0xfff} << 52)) | (std::uint64_t{1023} << 52));
  const double t = (m - 1) / (m + 1);
  double power = t;
  double sum = 0;
  for (int i = 1; i <= 15; i += 2, power *= t * t) sum += power / i;
  return 2 * sum + exponent * ln_2;
}

// 1 - exp(-x), for x >= 0.
double rise(double x) noexcept {
  if (x > 40) return 1;
  int halvings = 0;
  for (; x > 0.25; ++halvings) x /= 2;
  double term = x;
  double sum = 0;
  for (int i = 2; i <= 9; term *= -x / i++) sum += term;
  while (halvings-- > 0) sum *= 2 - sum;
  return sum;
}

// Marsaglia's xorshift (2003), scrambled by a multiplication.
std::int64_t next_gap(std::size_t mean) noexcept {
  constexpr std::int64_t largest = std::int64_t{1} << 62;  // with room for what is taken back
  if (mean == 0) return largest;
  if (mean == 1) return 0;
  if (random_state == 0) random_state = os::random_bits();
  random_state ^= random_state >> 12;
  random_state ^= random_state << 25;
  random_state ^= random_state >> 27;
  const std::uint64_t bits = (random_state * 0x2545f4914f6cdd1d) >> 11;
  const double uniform = (static_cast<double>(bits) + 1) * 0x1p-53;
  const double gap = -logarithm(uniform) * static_cast<double>(mean);
  return gap < 0x1p62 ? static_cast<std::int64_t>(gap) : largest;
}

std::int32_t next_calls(std::size_t mean) noexcept {
  return static_cast<std::int32_t>(std::min<std::int64_t>(next_gap(mean), 1 << 30));
}

}  // namespace

sample_counter::due sample_counter::take_due(std::size_t bytes) noexcept {
  const std::uint32_t now = sampling_period.load(std::memory_order_acquire);
  const std::size_t in_bytes = bytes_between_samples.load(std::memory_order_relaxed);
  const std::size_t in_calls = calls_between_samples.load(std::memory_order_relaxed);
  if (now != period_) {
    period_ = now;
    bytes_left_ = next_gap(in_bytes) - static_cast<std::int64_t>(bytes);
    calls_left_ = next_calls(in_calls) - 1;
  }
  due out;
  if (bytes_left_ < 0) {
    out.profile = in_bytes != 0;
    bytes_left_ = next_gap(in_bytes);
  }
  if (calls_left_ < 0) {
    out.guard = in_calls != 0;
    calls_left_ = next_calls(in_calls);
  }
  return out;
}

std::size_t sample_counter::count_ahead(std::size_t bytes, std::size_t most) noexcept {
  if (period_ != sampling_period.load(std::memory_order_relaxed)) return 0;
  std::size_t count = std::min(most, static_cast<std::size_t>(calls_left_));
  if (count * bytes > static_cast<std::size_t>(bytes_left_)) {
    count = static_cast<std::size_t>(bytes_left_) / bytes;
  }
  bytes_left_ -= static_cast<std::int64_t>(bytes * count);
  calls_left_ -= static_cast<std::int32_t>(count);
  return count;
}

namespace {

void name_portions() noexcept {
  for (std::size_t i = 0; i < magazine_at_hand.size(); ++i) {
    const std::size_t size_class = magazine_by_block[i] - 1u;
    const std::size_t stack = size_class < classes_with_portions ? portion_of(size_class) : 0;
    magazine_at_hand[i] = static_cast<std::uint8_t>(stack);
  }
}

void change(std::atomic<std::size_t>& mean, std::size_t to) noexcept {
  const holding hold(settings_lock);
  mean.store(to, std::memory_order_relaxed);
  sampling_period.fetch_add(1, std::memory_order_release);
  if (bytes_between_samples.load(std::memory_order_relaxed) +
          calls_between_samples.load(std::memory_order_relaxed) !=
      0) {
    name_portions();
  } else {
    magazine_at_hand = magazine_by_block;
  }
}

}  // namespace

void set_samples(std::size_t mean) noexcept {
  change(bytes_between_samples, mean);
}

void set_guarded_samples(std::size_t mean) noexcept {
  change(calls_between_samples, mean);
}

std::size_t mean_bytes_of_samples() noexcept {
  return bytes_between_samples.load(std::memory_order_relaxed);
}

double requests_per_sample(std::size_t request) noexcept {
  const auto mean = static_cast<double>(bytes_between_samples.load(std::memory_order_relaxed));
  return 1 / rise(static_cast<double>(sampled_bytes(request)) / mean);
}

}  // namespace mallard::inline v1::detail
