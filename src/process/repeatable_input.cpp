#include "process/repeatable_input.hpp"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

#include "process/temporary_place.hpp"

namespace mallard::process {
namespace {

bool is_read_once(int file) {
  struct stat input{};
  return fstat(file, &input) == 0 && (S_ISFIFO(input.st_mode) || S_ISSOCK(input.st_mode));
}

[[noreturn]] void fail(const std::string& path) {
  throw std::runtime_error(no_temporary_file(path, std::generic_category().message(errno)));
}

int nameless_file() {
  std::string path = (temporary_place() / "mallard-input-XXXXXX").string();
  const int file = mkostemp(path.data(), O_CLOEXEC);
  if (file < 0) fail(path);
  unlink(path.c_str());
  return file;
}

bool append(int file, const char* bytes, std::size_t size) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t put = write(file, bytes + done, size - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    done += static_cast<std::size_t>(put);
  }
  return true;
}

void put_in_place(int file) {
  lseek(file, 0, SEEK_SET);
  dup2(file, STDIN_FILENO);
  close(file);
}

}  // namespace

bool make_input_repeatable(bool (*interrupted)(), const std::function<void()>& waits) {
  if (!is_read_once(STDIN_FILENO)) return true;
  constexpr int look_ms = 50, looks_for_nothing = 40;
  constexpr std::size_t most_bytes = std::size_t{1} << 30;  // `yes` never ends
  const int file = nameless_file();
  std::array<char, 1 << 13> part;  // a stack may be small
  std::size_t came = 0;
  for (int looks = 0;;) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (interrupted != nullptr && interrupted()) {
      close(file);
      return true;
    }
    if (poll(&input, 1, look_ms) <= 0) {
      if (++looks == 1) waits();
      if (came != 0 || looks < looks_for_nothing) continue;
      close(file);
      put_in_place(open("/dev/null", O_RDONLY | O_CLOEXEC));
      return false;
    }
    const ssize_t got = read(STDIN_FILENO, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    came += static_cast<std::size_t>(got);
    if (came > most_bytes) {
      close(file);
      throw std::runtime_error("standard input has more than 1 GiB: pass a file (< FILE)");
    }
    if (!append(file, part.data(), static_cast<std::size_t>(got))) {
      const int why = errno;
      close(file);
      errno = why;
      fail((temporary_place() / "input").string());
    }
  }
  put_in_place(file);
  return true;
}

}  // namespace mallard::process
