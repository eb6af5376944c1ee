#include "whatif/program_runner.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "process/adoption.hpp"
#include "process/process.hpp"
#include "profile/name_pattern.hpp"

namespace mallard::whatif {
namespace {

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// Busy time of all processors since the system began, with the time the host took; 0: not known.
double busy_seconds() {
  std::ifstream stat("/proc/stat");
  std::string word;
  stat >> word;
  double sum = 0;
  for (int i = 0; i < 8; ++i) {
    constexpr int idle = 3, waits_for_disk = 4;
    double ticks = 0;
    if (!(stat >> ticks)) break;
    if (i != idle && i != waits_for_disk) sum += ticks;
  }
  return sum / static_cast<double>(sysconf(_SC_CLK_TCK));
}

// FNV-1a of all of the file.
std::uint64_t hash_of(int file) {
  std::uint64_t hash = 14695981039346656037U;
  std::array<unsigned char, 1 << 16> part;
  for (off_t at = 0;;) {
    const ssize_t got = pread(file, part.data(), part.size(), at);
    if (got <= 0) return hash;
    for (ssize_t i = 0; i < got; ++i) {
      hash = (hash ^ part[static_cast<std::size_t>(i)]) * 1099511628211U;
    }
    at += got;
  }
}

// The last number that the pattern finds on a line of the file; `before` where there is none.
double number_in(int file, const profile::line_pattern& pattern, double before) {
  const int own = dup(file);
  FILE* const in = own >= 0 ? fdopen(own, "r") : nullptr;
  if (in == nullptr) return before;
  std::rewind(in);
  double found = before;
  char* line = nullptr;  // getline makes it larger
  std::size_t room = 0;
  for (ssize_t got = 0; (got = getline(&line, &room, in)) >= 0;) {
    constexpr ssize_t longest = 4096;  // a regular expression goes down as deep as its text is long
    std::string_view rest(line, static_cast<std::size_t>(std::min(got, longest)));
    while (!rest.empty()) {
      const auto match = pattern.first_in(rest);
      if (!match) break;
      const std::string text(match->found);
      char* behind = nullptr;
      const double number = std::strtod(text.c_str(), &behind);
      if (behind != text.c_str()) found = number;
      rest = match->behind;
    }
  }
  free(line);
  std::fclose(in);
  return found;
}

// The program that runs, in the process that starts it.
volatile sig_atomic_t running = 0;

// Asks for SIGKILL.
constexpr int kill_signal = SIGUSR1;

pid_t command_itself = 0;

// The program may send the same to the group, in which we are.
void end_program(int signal, siginfo_t* from, void*) {
  if (from->si_pid != command_itself) return;
  const int before = errno;
  if (running > 0) kill(static_cast<pid_t>(running), signal == kill_signal ? SIGKILL : signal);
  errno = before;
}

void listen_to_command() {
  command_itself = getppid();
  struct sigaction action{};
  action.sa_sigaction = end_program;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  for (const int each : {SIGTERM, kill_signal}) sigaction(each, &action, nullptr);
}

// The program's side of the fork.
[[noreturn]] void start(const std::vector<std::string>& command,
                        const process::environment& environment, int output, int error_output,
                        int failure) {
  struct stat input{};
  const bool again = fstat(STDIN_FILENO, &input) == 0 && S_ISREG(input.st_mode);
  const int in = open(again ? "/proc/self/fd/0" : "/dev/null", O_RDONLY);
  if (in >= 0) dup2(in, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(error_output, STDERR_FILENO);
  signal(SIGPIPE, SIG_DFL);
  process::end_with_parent();
  process::become(command, environment, failure);
}

// Pairs of a name and a value, each ended by a zero.
process::environment environment_of(const std::string& bytes) {
  process::environment out;
  auto next = [&, at = std::size_t{0}]() mutable {
    std::string word = bytes.c_str() + at;
    at += word.size() + 1;
    return word;
  };
  const auto words = std::count(bytes.begin(), bytes.end(), '\0');
  for (std::ptrdiff_t i = 0; i < words / 2; ++i) {
    std::string name = next();
    out.emplace_back(std::move(name), next());
  }
  return out;
}

run_figures measure(const std::vector<std::string>& command,
                    const process::environment& environment, bool hashes_output,
                    const std::optional<profile::line_pattern>& metric) {
  const bool reads_output = hashes_output || metric;
  run_figures out;
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  const int written = reads_output ? memfd_create("output", MFD_CLOEXEC) : nowhere;
  const int complained = reads_output ? memfd_create("errors", MFD_CLOEXEC) : nowhere;
  if (nowhere < 0 || written < 0 || complained < 0) {
    out.error = errno;
    return out;
  }
  const process::ends failure = process::make_pipe();
  const double busy = busy_seconds();
  const double began = now();
  const pid_t child = fork();
  if (child == 0) start(command, environment, written, complained, failure.theirs);
  close(failure.theirs);
  if (child < 0) {
    out.error = errno;
  } else {
    running = child;
    rusage used{};
    out.status = process::wait_for(child, &used);
    running = 0;
    out.seconds = now() - began;
    out.processor_seconds = process::processor_seconds_of(used);
    out.others_seconds = std::max(0.0, busy_seconds() - busy - out.processor_seconds);
    out.resident_bytes = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
    out.page_faults = static_cast<std::uint64_t>(used.ru_minflt + used.ru_majflt);
    out.error = process::why_not_executed(failure.mine);
    if (hashes_output) out.output = hash_of(written) * 31 + hash_of(complained);
    if (metric)
      out.metric = number_in(complained, *metric, number_in(written, *metric, out.metric));
  }
  close(failure.mine);
  if (reads_output) {
    close(written);
    close(complained);
  }
  close(nowhere);
  return out;
}

// Does what it is asked until nobody asks any more.
void serve(const std::vector<std::string>& command,
           const std::optional<profile::line_pattern>& metric, int channel) {
  const process::adoption adopted;
  for (;;) {
    std::array<std::uint64_t, 2> request{};  // bytes of the environment, whether to read output
    if (!process::read_all(channel, request.data(), sizeof request)) break;
    std::string environment(request[0], '\0');
    if (!process::read_all(channel, environment.data(), environment.size())) break;
    run_figures done = measure(command, environment_of(environment), request[1] != 0, metric);
    done.left_processes = adopted.has_living();
    if (done.left_processes) adopted.end_all();
    if (!process::write_all(channel, &done, sizeof done)) break;
  }
}

}  // namespace

program_runner::program_runner(std::vector<std::string> command, const std::string& metric,
                               bool (*interrupted)())
    : interrupted_(interrupted), reads_metric_(!metric.empty()) {
  std::optional<profile::line_pattern> pattern;
  if (!metric.empty()) pattern.emplace(metric);
  const process::ends channel = process::make_channel();
  pid_ = process::copy_of_this();
  if (pid_ == 0) {
    process::end_with_parent();
    close(channel.mine);
    listen_to_command();
    serve(command, pattern, channel.theirs);
    _exit(0);
  }
  close(channel.theirs);
  channel_ = channel.mine;
}

program_runner::~program_runner() {
  close(channel_);
  process::wait_for(pid_);
}

// A signal may come before the wait begins, so no wait is long. Returns whether it was over in
// time.
bool program_runner::wait_for_answer(double longest) const {
  constexpr int longest_wait_ms = 50;
  constexpr int patience = 20;  // of such waits
  const double began = now();
  bool in_time = true;
  pollfd answer{channel_, POLLIN, 0};
  for (int asked = 0; poll(&answer, 1, longest_wait_ms) <= 0;) {
    if (longest > 0 && now() - began > longest) in_time = false;
    if (in_time && !was_interrupted()) continue;
    if (asked == 0) kill(pid_, SIGTERM);
    if (asked >= patience) kill(pid_, kill_signal);
    ++asked;
  }
  return in_time;
}

run_figures program_runner::run(const process::environment& environment, bool reads_output,
                                double longest) {
  ++runs_;
  std::string bytes;
  for (const auto& [name, value] : environment) {
    bytes += name + '\0';
    bytes += value + '\0';
  }
  const std::array<std::uint64_t, 2> request{bytes.size(), reads_output ? 1U : 0U};
  bool answered = process::write_all(channel_, request.data(), sizeof request) &&
                  process::write_all(channel_, bytes.data(), bytes.size());
  const bool in_time = !answered || wait_for_answer(longest);
  run_figures out;
  answered = answered && process::read_all(channel_, &out, sizeof out);
  out.took_too_long = !in_time;
  if (!answered) throw std::runtime_error("the process that starts the program has ended");
  return out;
}

}  // namespace mallard::whatif
