#include "unwind/readable_range.hpp"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace mallard::unwind {
namespace {

constexpr std::uint64_t page = 4096;  // what the system's pages are a multiple of
constexpr std::uint64_t nearby = 64 * page;

}  // namespace

// A system call that first reads and then refuses: EFAULT when it cannot read.
bool can_read(std::uint64_t at) noexcept {
  const int before = errno;
  constexpr int no_such_way = -1;
  const long result = syscall(SYS_rt_sigprocmask, no_such_way, at & ~std::uint64_t{7}, nullptr, 8);
  const bool fault = result != 0 && errno == EFAULT;
  errno = before;
  return !fault;
}

void readable_range::enter_slowly(std::uint64_t sp) noexcept {
  const std::uint64_t first = sp & ~(page - 1);
  // The same stack, deeper than before? All between can be read then.
  if (sp < first_ && first_ - first <= nearby) {
    std::uint64_t at = first;
    while (at < first_ && can_read(at)) at += page;
    if (at == first_) {
      first_ = first;
      return;
    }
  }
  first_ = first;
  end_ = first + page;
  ++entered_;
}

bool readable_range::try_page(std::uint64_t at) noexcept {
  if ((at & 7) != 0 || at < end_ || at - end_ > nearby) return false;
  while (end_ <= at) {
    if (!can_read(end_)) return false;
    end_ += page;
  }
  return true;
}

}  // namespace mallard::unwind
