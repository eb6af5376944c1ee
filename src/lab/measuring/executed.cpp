#include "lab/measuring/executed.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "lab/measuring/helper_process.hpp"
#include "lab/measuring/malloc_library.hpp"
#include "process/preloadable.hpp"

namespace mallard::lab {
namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;

// The parent's environment, but with only this library preloaded.
std::vector<std::string> environment_with(const fs::path& library) {
  constexpr std::string_view preload = "LD_PRELOAD=";
  std::vector<std::string> all;
  // glibc itself uses this one of the environment's three names. A linker that treats them as
  // separate variables gives the program copies of the others, which are never set.
  for (char** one = __environ; *one; ++one) {
    if (!std::string_view(*one).starts_with(preload)) all.emplace_back(*one);
  }
  if (!library.empty()) all.push_back(fmt::format("{}{}", preload, process::preloadable(library)));
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Called in the forked process. The channel gets the descriptor that the program expects.
[[noreturn]] void become_worker(const fs::path& program, int channel, char* const* arguments,
                                char* const* environment) {
  become_helper();
  be_expendable();
  if (channel == measuring_channel) {
    fcntl(channel, F_SETFD, 0);
  } else {
    dup2(channel, measuring_channel);
  }
  execve(program.c_str(), arguments, environment);
  _exit(127);
}

enum class awaited { answer, timeout, interrupt };

awaited await_answer(int channel, double seconds, bool (*interrupted)()) {
  const auto deadline = clock::now() + std::chrono::duration<double>(seconds);
  while (true) {
    const std::chrono::duration<double, std::milli> left = deadline - clock::now();
    if (left.count() <= 0) return awaited::timeout;
    pollfd waiting{.fd = channel, .events = POLLIN, .revents = 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::min(left.count() + 1, 1e9)));
    if (ready > 0) return awaited::answer;
    if (ready < 0 && errno != EINTR) return awaited::answer;  // reading it will fail
    if (ready < 0 && interrupted && interrupted()) return awaited::interrupt;
  }
}

// Checks the program's own statement that it ran on the library.
void check_library(const contender& wanted, outcome& told) {
  const fs::path file = told.library;
  std::error_code ignored;
  const bool right = wanted.library.empty() ? malloc_name(file) == system_malloc
                                            : fs::equivalent(file, wanted.library, ignored);
  if (right) return;
  told.error = wanted.library.empty()
                   ? fmt::format("malloc is that of {}", file.string())
                   : fmt::format("{} was preloaded, but malloc is still that of {}",
                                 wanted.library.filename().string(), file.filename().string());
}

// Not if somebody else starts the program with that word.
bool channel_is_there() {
  struct stat status{};
  return fstat(measuring_channel, &status) == 0 && S_ISSOCK(status.st_mode);
}

void note_library(answer_head& answer) {
  Dl_info where{};
  const void* found = dlsym(RTLD_DEFAULT, "malloc");
  if (!found || dladdr(found, &where) == 0 || !where.dli_fname) return;
  std::strncpy(answer.library.data(), where.dli_fname, answer.library.size() - 1);
}

// Static, so that nothing of it is on the stack or the heap, and everything exists before anything
// runs.
alignas(std::max_align_t) std::array<std::byte, most_work_bytes> received_work;
errand received;
readings taken;
answer_head answer;

}  // namespace

outcome run_executed(const fs::path& program, const contender& on, const task& what,
                     const measuring_limits& limits, bool (*interrupted)()) {
  std::error_code ignored;
  if (!on.library.empty() && !fs::is_regular_file(on.library, ignored)) {
    return failed_outcome(fmt::format("there is no library {}", on.library.string()));
  }
  std::vector<std::string> words = {"mallard", std::string(measuring_word)};
  std::vector<std::string> variables = environment_with(on.library);
  const std::vector<char*> arguments = pointers_to(words);
  const std::vector<char*> environment = pointers_to(variables);
  const process::ends channel = make_channel();
  const pid_t child = process::copy_of_this();
  if (child == 0) become_worker(program, channel.theirs, arguments.data(), environment.data());
  close(channel.theirs);
  awaited came = awaited::answer;
  std::optional<outcome> got;
  if (send_errand(channel.mine, what, limits)) {
    came = await_answer(channel.mine, limits.timeout_seconds, interrupted);
    if (came != awaited::answer) kill(child, SIGKILL);
    if (came == awaited::answer) got = receive_answer(channel.mine, interrupted);
  }
  close(channel.mine);
  const int status = process::wait_for(child);
  if (!got) {
    return failed_outcome(describe_end(status, came == awaited::timeout, limits.timeout_seconds));
  }
  if (got->ok()) check_library(on, *got);
  return std::move(*got);
}

void give_up(std::string_view why) {
  static std::atomic<bool> said{false};
  // The first caller ends the process for all.
  while (said.exchange(true)) pause();
  answer.fail(why);
  send_answer(measuring_channel, answer, {});
  _exit(0);
}

bool is_measuring_process(int argc, const char* const* argv) {
  return argc == 2 && argv[1] == measuring_word;
}

int serve_measuring_process() {
  if (!channel_is_there() || !read_all(measuring_channel, &received, sizeof received) ||
      !read_all(measuring_channel, received_work.data(), received.work_bytes)) {
    std::fputs("mallard: --malloc-work is for processes that mallard starts itself\n", stderr);
    return 2;
  }
  note_library(answer);
  const kernel_function run = executed_kernel::find(received.name.data());
  if (!run) give_up("this program does not have the kernel");
  perform(received, run, received_work.data(), {}, taken, answer);
  send_answer(measuring_channel, answer, taken.all());
  _exit(0);  // skip what the malloc would do at the end
}

}  // namespace mallard::lab
