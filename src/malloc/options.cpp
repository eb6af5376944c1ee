#include "malloc/options.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "mallard/detail/os/pages.hpp"
#include "mallard/detail/os/uncancelled.hpp"
#include "malloc/background.hpp"
#include "malloc/fatal.hpp"
#include "malloc/guarded_blocks.hpp"
#include "malloc/huge_block.hpp"
#include "malloc/malloc_checks.hpp"
#include "malloc/malloc_pages.hpp"
#include "malloc/profiling.hpp"
#include "malloc/stats.hpp"

namespace mallard::inline v1::detail {
namespace {

using stats_writer = void (*)(text_out&) noexcept;
constinit stats_writer stats_at_exit = nullptr;
constinit int stats_descriptor = -1;
constinit struct stat stats_file{};

// A number, maybe with K, M or G behind it. False when it is none, or too large.
bool parse_bytes(const char* text, std::size_t& bytes) noexcept {
  if (*text < '0' || *text > '9') return false;
  bytes = 0;
  for (; *text >= '0' && *text <= '9'; ++text) {
    if (__builtin_mul_overflow(bytes, std::size_t{10}, &bytes)) return false;
    if (__builtin_add_overflow(bytes, static_cast<std::size_t>(*text - '0'), &bytes)) return false;
  }
  unsigned shift = 0;
  if (*text == 'K' || *text == 'k') shift = 10;
  if (*text == 'M' || *text == 'm') shift = 20;
  if (*text == 'G' || *text == 'g') shift = 30;
  if (shift != 0) ++text;
  return *text == '\0' && !__builtin_mul_overflow(bytes, std::size_t{1} << shift, &bytes);
}

bool take_idle(const char* value) noexcept {
  std::size_t bytes = 0;
  if (!parse_bytes(value, bytes)) return false;
  the_pages.set_most_kept(bytes);
  return true;
}

bool take_limit(const char* value) noexcept {
  std::size_t bytes = 0;
  if (!parse_bytes(value, bytes) || bytes == 0) return false;
  the_pages.set_limit(bytes);
  return true;
}

bool parse_switch(const char* text, bool& on) noexcept {
  on = std::strcmp(text, "on") == 0;
  return on || std::strcmp(text, "off") == 0;
}

bool take_background(const char* value) noexcept {
  bool on = false;
  if (!parse_switch(value, on)) return false;
  if (on) start_background();
  return true;
}

bool take_huge_pages(const char* value) noexcept {
  bool on = false;
  if (parse_switch(value, on)) {
    the_pages.set_huge_pages(on ? huge_pages::on : huge_pages::off);
    return true;
  }
  if (std::strcmp(value, "all") != 0) return false;
  the_pages.set_huge_pages(huge_pages::all);
  return true;
}

bool is_stats_file(int descriptor) noexcept {
  struct stat now{};
  return fstat(descriptor, &now) == 0 && now.st_dev == stats_file.st_dev &&
         now.st_ino == stats_file.st_ino;
}

// Many programs close the standard error before they end: a copy stays open for us, out of the way
// if the limit of descriptors allows that.
void keep_standard_error() noexcept {
  if (stats_descriptor >= 0 || fstat(STDERR_FILENO, &stats_file) != 0) return;
  stats_descriptor = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 100);
  if (stats_descriptor < 0) stats_descriptor = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
}

bool take_stats(const char* value) noexcept {
  if (std::strcmp(value, "text") == 0) {
    stats_at_exit = [](text_out& out) noexcept { write_stats_text(out, true); };
  } else if (std::strcmp(value, "json") == 0) {
    stats_at_exit = write_stats_json;
  } else if (std::strcmp(value, "openmetrics") == 0) {
    stats_at_exit = write_stats_openmetrics;
  } else {
    return false;
  }
  keep_standard_error();
  return true;
}

bool take_profile(const char* value) noexcept {
  std::size_t bytes = 0;
  if (!parse_bytes(value, bytes) || bytes == 0 || bytes > PTRDIFF_MAX) return false;
  if (begin_profile(bytes) != 0) warn("there is no memory for a heap ", "profile");
  write_profile_at_exit();
  return true;
}

// "1/5000".
bool take_guard(const char* value) noexcept {
  std::size_t calls = 0;
  if (std::strncmp(value, "1/", 2) != 0 || !parse_bytes(value + 2, calls) || calls == 0)
    return false;
  if (begin_guarding(calls) != 0) warn("there is no memory for guarded ", "blocks");
  return true;
}

bool take_profile_at(const char* value) noexcept {
  std::size_t bytes = 0;
  if (!parse_bytes(value, bytes) || bytes == 0) return false;
  write_profile_at_growth(bytes);
  return true;
}

bool take_profile_signal(const char* value) noexcept {
  std::size_t number = 0;
  if (std::strcmp(value, "USR1") == 0) {
    number = SIGUSR1;
  } else if (std::strcmp(value, "USR2") == 0) {
    number = SIGUSR2;
  } else if (!parse_bytes(value, number) || number == 0 || number > NSIG) {
    return false;
  }
  return write_profile_at_signal(static_cast<int>(number));
}

struct option {
  const char* name;
  bool (*take)(const char* value) noexcept;
};
constexpr option options[] = {{"idle", take_idle},
                              {"limit", take_limit},
                              {"background", take_background},
                              {"huge_pages", take_huge_pages},
                              {"stats", take_stats},
                              {"guard", take_guard},
                              {"profile", take_profile},
                              {"profile_at", take_profile_at},
                              {"profile_file", set_profile_path},
                              {"profile_signal", take_profile_signal},
                              {"zero_on_free", checks::set_zero_on_free},
                              {"wrong_sizes", checks::set_wrong_sizes}};

void read_option(char* text) noexcept {
  if (char* const equals = std::strchr(text, '=')) {
    *equals = '\0';
    for (const option& o : options) {
      if (std::strcmp(o.name, text) == 0 && o.take(equals + 1)) return;
    }
    *equals = '=';
  }
  warn("option of MALLARD_MALLOC not understood: ", text);
}

// Runs after the destructors of the program, but before the C library is gone.
[[gnu::destructor(101)]] void write_at_exit() {
  write_last_profile();
  the_guarded.stop_reporting();
  if (stats_at_exit == nullptr || stats_descriptor < 0) return;
  // The program may have closed the copy, and have another file there now.
  if (!is_stats_file(stats_descriptor)) stats_descriptor = STDERR_FILENO;
  if (!is_stats_file(stats_descriptor)) return;
  text_out out(write_to_descriptor, &stats_descriptor);
  stats_at_exit(out);
  if (stats_at_exit == write_stats_json) out << "\n";
}

}  // namespace

void close_stats_copy() noexcept {
  if (stats_descriptor <= STDERR_FILENO || !is_stats_file(stats_descriptor)) return;
  syscall(SYS_close, stats_descriptor);
  stats_descriptor = STDERR_FILENO;
}

void read_options() noexcept {
  the_pages.budget.look_at_memory();
  huge_blocks::look_at_system();
  os::random_bits();
  the_pages.set_huge_pages(huge_pages::on);
  if constexpr (checks::has_guards) os::keep_off_used_addresses();
  // Ignores the environment of a program that has more rights than its caller.
  const char* const all = getauxval(AT_SECURE) != 0 ? nullptr : std::getenv("MALLARD_MALLOC");
  if (all == nullptr) return;
  std::array<char, 512> text;
  const std::size_t length = std::strlen(all);
  if (length >= text.size()) return warn("MALLARD_MALLOC is too long, and ", "ignored");
  std::memcpy(text.data(), all, length + 1);
  for (char* at = text.data(); at != nullptr;) {
    char* const comma = std::strchr(at, ',');
    if (comma != nullptr) *comma = '\0';
    if (*at != '\0') read_option(at);
    at = comma == nullptr ? nullptr : comma + 1;
  }
}

}  // namespace mallard::inline v1::detail
