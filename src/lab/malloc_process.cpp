#include "lab/malloc_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

#include "lab/helper_process.hpp"
#include "lab/malloc_library.hpp"
#include "lab/malloc_work/work_process.hpp"

namespace mallard::lab {
namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;

static_assert(std::is_trivially_copyable_v<malloc_job> &&
              std::is_trivially_copyable_v<malloc_outcome>);

// The parent's, with the one library preloaded and no other.
std::vector<std::string> environment_with(const fs::path& library) {
  constexpr std::string_view preload = "LD_PRELOAD=";
  std::vector<std::string> all;
  for (char** one = environ; *one; ++one) {
    if (!std::string_view(*one).starts_with(preload)) all.emplace_back(*one);
  }
  if (!library.empty()) all.push_back(fmt::format("{}{}", preload, library.string()));
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// In the forked process. The channel gets the number that the program expects it at.
[[noreturn]] void become_worker(const fs::path& program, int channel, char* const* arguments,
                                char* const* environment) {
  become_helper();
  be_expendable();
  if (channel == malloc_work_channel) {
    fcntl(channel, F_SETFD, 0);
  } else {
    dup2(channel, malloc_work_channel);
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

// Whether the process really ran on the library is what it says itself.
void check_library(const allocator_library& wanted, malloc_outcome& outcome) {
  const fs::path told = outcome.measured.library.data();
  std::error_code ignored;
  const bool right = wanted.file.empty() ? malloc_name(told) == "glibc"
                                         : fs::equivalent(told, wanted.file, ignored);
  if (right) return;
  outcome.fail(wanted.file.empty()
                   ? fmt::format("malloc is that of {}", told.string())
                   : fmt::format("{} was preloaded, but malloc is still that of {}",
                                 wanted.file.filename().string(), told.filename().string()));
}

}  // namespace

malloc_outcome run_malloc_job(const fs::path& program, const allocator_library& on,
                              const malloc_job& what, double timeout_seconds,
                              bool (*interrupted)()) {
  malloc_outcome outcome;
  std::error_code ignored;
  if (!on.file.empty() && !fs::is_regular_file(on.file, ignored)) {
    outcome.fail(fmt::format("there is no library {}", on.file.string()));
    return outcome;
  }
  std::vector<std::string> words = {"mallard", std::string(malloc_work_word)};
  std::vector<std::string> variables = environment_with(on.file);
  const std::vector<char*> arguments = pointers_to(words);
  const std::vector<char*> environment = pointers_to(variables);

  const channel_pair channel = make_channel();
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) become_worker(program, channel.theirs, arguments.data(), environment.data());
  close(channel.theirs);

  awaited came = awaited::answer;
  bool complete = write_all(channel.mine, &what, sizeof what);
  if (complete) {
    came = await_answer(channel.mine, timeout_seconds, interrupted);
    if (came != awaited::answer) kill(child, SIGKILL);
    complete =
        came == awaited::answer && read_all(channel.mine, &outcome, sizeof outcome, interrupted);
  }
  close(channel.mine);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!complete) {
    outcome = {};
    outcome.fail(describe_end(status, came == awaited::timeout, timeout_seconds));
  } else if (outcome.ok()) {
    check_library(on, outcome);
  }
  return outcome;
}

}  // namespace mallard::lab
