#include "process/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>

namespace mallard::process {
namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// The words of /proc/PID/stat from the state on: what comes before has the program's name in it.
std::vector<std::string> stat_of(pid_t pid) {
  const std::string text = file_text("/proc/" + std::to_string(pid) + "/stat");
  std::istringstream in(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  return {std::istream_iterator<std::string>(in), {}};
}

// "ulimit -v allows 400 MiB"; empty where no limit is set.
std::string limit_text(auto resource, const char* option) {
  rlimit room{};
  getrlimit(resource, &room);
  if (room.rlim_cur == RLIM_INFINITY) return {};
  const bool is_small = room.rlim_cur >> 20 == 0;
  return std::string("ulimit ") + option + " allows " +
         std::to_string(room.rlim_cur >> (is_small ? 10 : 20)) + (is_small ? " KiB" : " MiB");
}

}  // namespace

ends make_channel() {
  std::array<int, 2> made{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, made.data()) != 0) fail("no channel");
  return {made[0], made[1]};
}

ends make_pipe() {
  std::array<int, 2> made{};
  if (pipe2(made.data(), O_CLOEXEC) != 0) fail("no pipe");
  return {made[0], made[1]};
}

bool read_all(int channel, void* value, std::size_t size, bool (*give_up)()) {
  auto* bytes = static_cast<char*>(value);
  for (std::size_t done = 0; done < size;) {
    const ssize_t got = read(channel, bytes + done, size - done);
    if (got > 0) {
      done += static_cast<std::size_t>(got);
    } else if (got == 0 || errno != EINTR || (give_up && give_up())) {
      return false;
    }
  }
  return true;
}

bool write_all(int channel, const void* value, std::size_t size) {
  const auto* bytes = static_cast<const char*>(value);
  for (std::size_t done = 0; done < size;) {
    const ssize_t put = send(channel, bytes + done, size - done, MSG_NOSIGNAL);
    if (put > 0) {
      done += static_cast<std::size_t>(put);
    } else if (put == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

pid_t copy_of_this() {
  const pid_t child = fork();
  if (child < 0) fail("no process");
  return child;
}

void end_with_parent() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

void become(const std::vector<std::string>& command, const environment& set, int failure) {
  for (const auto& [name, value] : set) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  const int error = errno;
  (void)!write(failure, &error, sizeof error);
  _exit(127);
}

int why_not_executed(int failure) {
  int error = 0;
  return read(failure, &error, sizeof error) == sizeof error ? error : 0;
}

int wait_for(pid_t child, rusage* used) {
  int status = 0;
  while (wait4(child, &status, 0, used) < 0 && errno == EINTR) {
  }
  return status;
}

std::string file_text(const std::string& path) {
  const std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();  // which throws nothing, as an iterator would
  return std::move(out).str();
}

std::vector<pid_t> all_processes() {
  namespace fs = std::filesystem;
  std::vector<pid_t> out;
  std::error_code problem;
  for (fs::directory_iterator at("/proc", problem), end; !problem && at != end;
       at.increment(problem)) {
    const pid_t pid = std::atoi(at->path().filename().c_str());
    if (pid > 0) out.push_back(pid);
  }
  return out;
}

pid_t parent_of(pid_t pid) {
  const std::vector<std::string> words = stat_of(pid);
  return words.size() < 2 ? 0 : std::stoi(words[1]);
}

char state_of(pid_t pid) {
  const std::vector<std::string> words = stat_of(pid);
  return words.empty() ? 'X' : words.front().front();
}

bool has_ended(pid_t pid) {
  constexpr std::size_t threads = 17;
  const std::vector<std::string> words = stat_of(pid);
  return words.size() <= threads || words.front() == "X" ||
         (words.front() == "Z" && words[threads] == "1");
}

std::string limit_note(std::size_t bytes, int error) {
  const bool is_file = error == EFBIG;
  const std::string limit = is_file ? limit_text(RLIMIT_FSIZE, "-f") : limit_text(RLIMIT_AS, "-v");
  if (limit.empty()) return {};
  return "; this takes " + std::to_string(bytes >> 20) + " MiB" +
         (is_file ? ", and " : " of address space, and ") + limit;
}

std::string memory_limits() {
  std::string out;
  for (const std::string& limit : {limit_text(RLIMIT_AS, "-v"), limit_text(RLIMIT_DATA, "-d")}) {
    if (!limit.empty()) out += "; " + limit;
  }
  return out;
}

void fail_to_share(std::size_t bytes) {
  const int error = errno;
  throw std::system_error(error, std::generic_category(),
                          "no memory to share with the program" + limit_note(bytes, error));
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double processor_seconds_of(const rusage& used) {
  return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

std::string describe_signal(int number) {
  return "signal " + std::to_string(number) + " (" + strsignal(number) + ')';
}

std::string describe_end(int status) {
  return WIFSIGNALED(status)
             ? "was killed by " + describe_signal(WTERMSIG(status))
             : "ended with status " + std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

}  // namespace mallard::process
