// The names of glibc for figures and settings, and those of mallard/malloc/malloc.h.
#include "mallard/malloc/malloc.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "malloc/engine.hpp"
#include "malloc/entry.hpp"
#include "malloc/huge_block.hpp"
#include "malloc/large_space.hpp"
#include "malloc/stats.hpp"
#include "malloc/usage.hpp"

namespace {

namespace detail = mallard::detail;

// Settings of malloc_stats.
constinit std::atomic<int> stats_descriptor{STDERR_FILENO};
constinit std::atomic<bool> stats_all{true};

// For text to the caller's own functions and files: a thread cancelled there could not be unwound.
class not_cancelled {
 public:
  not_cancelled() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~not_cancelled() { pthread_setcancelstate(before_, nullptr); }
  not_cancelled(const not_cancelled&) = delete;
  not_cancelled& operator=(const not_cancelled&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

struct bounded_text {
  char* buffer;
  std::size_t bytes;
  std::size_t length;
};

void write_to_buffer(void* context, const char* text, std::size_t bytes) noexcept {
  auto& to = *static_cast<bounded_text*>(context);
  if (to.length < to.bytes) {
    std::memcpy(to.buffer + to.length, text, std::min(bytes, to.bytes - to.length));
  }
  to.length += bytes;
}

void write_to_file(void* context, const char* text, std::size_t bytes) noexcept {
  std::fwrite(text, 1, bytes, static_cast<std::FILE*>(context));
}

using figures = void(detail::text_out&) noexcept;

void write_figures(figures* form, mallard_writer write, void* context) {
  const not_cancelled here;
  detail::text_out out(write, context);
  form(out);
}

std::size_t write_bounded(figures* form, char* buffer, std::size_t bytes) {
  bounded_text to{buffer, bytes == 0 ? 0 : bytes - 1, 0};
  write_figures(form, write_to_buffer, &to);
  if (bytes != 0) buffer[std::min(to.length, bytes - 1)] = '\0';
  return to.length;
}

}  // namespace

MALLARD_ENTRY void mallard_set_idle_bytes(std::size_t bytes) {
  detail::the_pages.set_most_kept(bytes);
}

MALLARD_ENTRY void mallard_set_limit_bytes(std::size_t bytes) {
  detail::the_pages.set_limit(bytes == 0 ? detail::memory_budget::none : bytes);
}

MALLARD_ENTRY void mallard_set_huge_pages(int on) {
  detail::the_pages.set_huge_pages(on != 0 ? detail::huge_pages::on : detail::huge_pages::off);
}

MALLARD_ENTRY int mallard_trim() {
  return detail::trim() ? 1 : 0;
}

MALLARD_ENTRY void mallard_write_stats_json(mallard_writer write, void* context) {
  write_figures(detail::write_stats_json, write, context);
}

MALLARD_ENTRY std::size_t mallard_stats_json(char* buffer, std::size_t bytes) {
  return write_bounded(detail::write_stats_json, buffer, bytes);
}

MALLARD_ENTRY void mallard_write_stats_openmetrics(mallard_writer write, void* context) {
  write_figures(detail::write_stats_openmetrics, write, context);
}

MALLARD_ENTRY std::size_t mallard_stats_openmetrics(char* buffer, std::size_t bytes) {
  return write_bounded(detail::write_stats_openmetrics, buffer, bytes);
}

MALLARD_ENTRY int MALLARD_NAME(malloc_info)(int options, std::FILE* file) noexcept {
  if (options != 0 || file == nullptr) {
    errno = EINVAL;
    return -1;
  }
  const not_cancelled here;
  detail::text_out out(write_to_file, file);
  detail::write_stats_xml(out);
  return 0;
}

MALLARD_ENTRY void MALLARD_NAME(malloc_stats)() noexcept {
  int descriptor = stats_descriptor.load(std::memory_order_relaxed);
  detail::text_out out(detail::write_to_descriptor, &descriptor);
  detail::write_stats_text(out, stats_all.load(std::memory_order_relaxed));
}

MALLARD_ENTRY int mallard_stats_descriptor(int descriptor) {
  return stats_descriptor.exchange(descriptor);
}

MALLARD_ENTRY int mallard_stats_all(int all) {
  return stats_all.exchange(all != 0) ? 1 : 0;
}

MALLARD_ENTRY std::size_t mallard_unfreed_bytes() {
  return detail::usage_of_malloc(false).in_use_bytes();
}

#ifdef __GLIBC__  // musl has neither these structures nor these settings

MALLARD_ENTRY struct mallinfo2 MALLARD_NAME(mallinfo2)() noexcept {
  const detail::malloc_usage u = detail::usage_of_malloc(false);
  struct mallinfo2 info{};
  info.arena = u.supply.in_use_bytes + u.supply.dirty_bytes + u.huge.kept_bytes;
  info.ordblks = u.supply.dirty_bytes / detail::slice_bytes;
  info.hblks = u.huge.blocks;
  info.hblkhd = u.huge.mapped_bytes;
  info.uordblks = u.slab_bytes() + u.space_bytes();
  info.fordblks = info.arena > info.uordblks ? info.arena - info.uordblks : 0;
  info.keepcost = u.supply.dirty_bytes + u.huge.kept_bytes;
  return info;
}

namespace {

// The older function's fields are too narrow for large figures.
int narrow(std::size_t n) noexcept {
  return n > INT_MAX ? INT_MAX : static_cast<int>(n);
}

}  // namespace

MALLARD_ENTRY struct mallinfo MALLARD_NAME(mallinfo)() noexcept {
  const struct mallinfo2 wide = MALLARD_NAME(mallinfo2)();
  struct mallinfo info{};
  info.arena = narrow(wide.arena);
  info.ordblks = narrow(wide.ordblks);
  info.hblks = narrow(wide.hblks);
  info.hblkhd = narrow(wide.hblkhd);
  info.uordblks = narrow(wide.uordblks);
  info.fordblks = narrow(wide.fordblks);
  info.keepcost = narrow(wide.keepcost);
  return info;
}

// One of glibc's settings has an equivalent here: what stays with the process at the top of the
// heap. The others that it knows are taken and do nothing: there is no arena to count, no threshold
// to move. As with glibc, 1 for what is known and 0 for what is not.
MALLARD_ENTRY int MALLARD_NAME(mallopt)(int parameter, int value) noexcept {
  switch (parameter) {
    case M_TRIM_THRESHOLD:
      detail::the_pages.set_most_kept(value < 0 ? SIZE_MAX : static_cast<std::size_t>(value));
      return 1;
    case M_TOP_PAD:
    case M_MMAP_THRESHOLD:
    case M_MMAP_MAX:
    case M_MXFAST:
    case M_CHECK_ACTION:
    case M_PERTURB:
    case M_ARENA_TEST:
    case M_ARENA_MAX:
      return 1;
    default:
      return 0;
  }
}

#endif
