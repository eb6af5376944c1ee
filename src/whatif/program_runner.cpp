#include "whatif/program_runner.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <system_error>

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

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
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

bool send_all(int to, const void* bytes, std::size_t count) {
  const char* at = static_cast<const char*>(bytes);
  while (count != 0) {
    const ssize_t sent = send(to, at, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    count -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int from, void* bytes, std::size_t count) {
  char* at = static_cast<char*>(bytes);
  while (count != 0) {
    const ssize_t got = recv(from, at, count, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

// The program's side of the fork.
[[noreturn]] void become(const std::vector<std::string>& command, const std::string& environment,
                         int output, int error_output, int failure) {
  struct stat input{};
  const bool again = fstat(STDIN_FILENO, &input) == 0 && S_ISREG(input.st_mode);
  const int in = open(again ? "/proc/self/fd/0" : "/dev/null", O_RDONLY);
  if (in >= 0) dup2(in, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(error_output, STDERR_FILENO);
  // Pairs of a name and a value, each ended by a zero.
  for (std::size_t at = 0; at < environment.size();) {
    const char* const name = environment.c_str() + at;
    at = environment.find('\0', at) + 1;
    const char* const value = environment.c_str() + at;
    at = environment.find('\0', at) + 1;
    setenv(name, value, 1);
  }
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  signal(SIGPIPE, SIG_DFL);
  execvp(words[0], words.data());
  const int error = errno;
  (void)!write(failure, &error, sizeof error);
  _exit(127);
}

run_figures measure(const std::vector<std::string>& command, const std::string& environment,
                    bool reads_output) {
  run_figures out;
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  const int written = reads_output ? memfd_create("output", MFD_CLOEXEC) : nowhere;
  const int complained = reads_output ? memfd_create("errors", MFD_CLOEXEC) : nowhere;
  std::array<int, 2> failure{};
  if (nowhere < 0 || written < 0 || complained < 0 || pipe2(failure.data(), O_CLOEXEC) != 0) {
    out.error = errno;
    return out;
  }
  const double busy = busy_seconds();
  const double began = now();
  const pid_t child = fork();
  if (child == 0) become(command, environment, written, complained, failure[1]);
  close(failure[1]);
  if (child < 0) {
    out.error = errno;
  } else {
    rusage used{};
    while (wait4(child, &out.status, 0, &used) < 0 && errno == EINTR) {
    }
    out.seconds = now() - began;
    out.processor_seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
    out.others_seconds = std::max(0.0, busy_seconds() - busy - out.processor_seconds);
    out.resident_bytes = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
    out.page_faults = static_cast<std::uint64_t>(used.ru_minflt + used.ru_majflt);
    int error = 0;
    if (read(failure[0], &error, sizeof error) == sizeof error) out.error = error;
    if (reads_output) out.output = hash_of(written) * 31 + hash_of(complained);
  }
  close(failure[0]);
  if (reads_output) {
    close(written);
    close(complained);
  }
  close(nowhere);
  return out;
}

// Does what it is asked until nobody asks any more.
[[noreturn]] void serve(const std::vector<std::string>& command, int channel) {
  for (;;) {
    std::array<std::uint64_t, 2> request{};  // bytes of the environment, whether to read output
    if (!receive_all(channel, request.data(), sizeof request)) _exit(0);
    std::string environment(request[0], '\0');
    if (!receive_all(channel, environment.data(), environment.size())) _exit(0);
    const run_figures done = measure(command, environment, request[1] != 0);
    if (!send_all(channel, &done, sizeof done)) _exit(0);
  }
}

}  // namespace

program_runner::program_runner(std::vector<std::string> command) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "no channel");
  }
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "no process");
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(ends[0]);
    serve(command, ends[1]);
  }
  close(ends[1]);
  channel_ = ends[0];
}

program_runner::~program_runner() {
  close(channel_);
  waitpid(pid_, nullptr, 0);
}

run_figures program_runner::run(const std::vector<std::pair<std::string, std::string>>& environment,
                                bool reads_output) {
  ++runs_;
  std::string bytes;
  for (const auto& [name, value] : environment) {
    bytes += name + '\0';
    bytes += value + '\0';
  }
  const std::array<std::uint64_t, 2> request{bytes.size(), reads_output ? 1U : 0U};
  run_figures out;
  if (!send_all(channel_, request.data(), sizeof request) ||
      !send_all(channel_, bytes.data(), bytes.size()) || !receive_all(channel_, &out, sizeof out)) {
    throw std::runtime_error("the process that starts the program has ended");
  }
  return out;
}

}  // namespace mallard::whatif
