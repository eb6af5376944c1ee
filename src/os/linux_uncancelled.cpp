#include "mallard/detail/os/uncancelled.hpp"

#include <errno.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1::detail::os {
namespace {

constinit std::atomic<std::uint64_t> secret_of_process{0};  // 0: not asked for yet
constinit std::atomic<std::uint64_t> random_numbers{0};

std::uint64_t ask_for_random_bits() noexcept {
  const int before = errno;
  std::uint64_t bits = 0;
  // Early at boot there are none yet; the addresses are random too.
  if (syscall(SYS_getrandom, &bits, sizeof bits, GRND_NONBLOCK) != sizeof bits) {
    bits = address_of(&bits) * 0x9e37'79b9'7f4a'7c15 ^ milliseconds();
  }
  errno = before;
  return bits | 1;
}

// The last steps of SplitMix64 (Steele, Lea and Flood, 2014).
std::uint64_t scrambled(std::uint64_t bits) noexcept {
  bits = (bits ^ bits >> 30) * 0xbf58'476d'1ce4'e5b9;
  bits = (bits ^ bits >> 27) * 0x94d0'49bb'1331'11eb;
  return bits ^ bits >> 31;
}

}  // namespace

long write(int descriptor, const char* text, std::size_t bytes) noexcept {
  return syscall(SYS_write, descriptor, text, bytes);
}

std::uint64_t random_bits() noexcept {
  std::uint64_t secret = secret_of_process.load(std::memory_order_relaxed);
  if (secret == 0) {
    const std::uint64_t fresh = ask_for_random_bits();
    if (secret_of_process.compare_exchange_strong(secret, fresh)) secret = fresh;
  }
  // Twice, so that who learns the result cannot tell the secret from it.
  const std::uint64_t number = random_numbers.fetch_add(1, std::memory_order_relaxed);
  return scrambled(scrambled(secret + number) + secret) | 1;
}

}  // namespace mallard::inline v1::detail::os
