#include "mallard/detail/checks/thread_number.hpp"

#include <bitset>
#include <mutex>

#include "mallard/detail/os/thread_end.hpp"

namespace mallard::inline v1::detail {

MALLARD_STATIC_TLS constinit thread_local unsigned this_thread_number = 0;

namespace {

MALLARD_STATIC_TLS constinit thread_local bool has_ended = false;

struct numbers {
  std::mutex lock;
  std::bitset<most_thread_numbers> taken;
  os::thread_end_calls at_end;

  numbers() noexcept;
};

// Never destroyed: threads may end after static objects.
numbers& all_numbers() noexcept {
  alignas(numbers) static std::byte room[sizeof(numbers)];
  static numbers* const made = ::new (room) numbers;
  return *made;
}

void give_back() {
  const unsigned number = this_thread_number;
  has_ended = true;
  this_thread_number = 0;
  if (number == 0) return;
  numbers& all = all_numbers();
  // The next thread with this number sees the counts of this one.
  const std::lock_guard hold(all.lock);
  all.taken.reset(number);
}

numbers::numbers() noexcept : at_end(&give_back) {
  taken.set(0);
}

}  // namespace

unsigned number_this_thread() noexcept {
  // A key of a library that may be unloaded would have to be deleted then, so there are no numbers.
  if (is_embedded || has_ended) return 0;
  if (this_thread_number != 0) return this_thread_number;
  numbers& all = all_numbers();
  const std::lock_guard hold(all.lock);
  for (unsigned n = 1; n < most_thread_numbers; ++n) {
    if (all.taken.test(n)) continue;
    all.taken.set(n);
    all.at_end.of_this_thread();
    return this_thread_number = n;
  }
  return 0;
}

}  // namespace mallard::inline v1::detail
