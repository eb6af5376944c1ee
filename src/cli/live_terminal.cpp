#include "cli/live_terminal.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/terminal.hpp"

namespace mallard::cli {
namespace {

winsize window() {
  winsize found{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &found) != 0 || found.ws_col == 0 || found.ws_row == 0) {
    found.ws_col = 80;
    found.ws_row = 24;
  }
  return found;
}

void put(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace

bool has_screen() {
  return isatty(STDIN_FILENO) != 0 && is_screen(STDOUT_FILENO);
}

live_terminal::live_terminal() {
  tcgetattr(STDIN_FILENO, &before_);
  termios raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  put("\033[?1049h\033[?25l");
}

live_terminal::~live_terminal() {
  put("\033[?25h\033[?1049l");
  tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

std::size_t live_terminal::width() const {
  return window().ws_col;
}

std::size_t live_terminal::rows() const {
  return window().ws_row;
}

void live_terminal::show(const std::string& lines) const {
  std::string text = "\033[H";
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    if (at != 0) text += "\r\n";
    text += lines.substr(at, end - at) + "\033[K";
    at = end + 1;
  }
  put(text + "\033[J");
}

char wait_for_key(double seconds, bool reads_keys) {
  pollfd keys{STDIN_FILENO, POLLIN, 0};
  const int milliseconds = static_cast<int>(std::max(1.0, seconds * 1000));
  if (poll(&keys, reads_keys ? 1 : 0, milliseconds) <= 0) return 0;
  char key = 0;
  return read(STDIN_FILENO, &key, 1) == 1 ? key : 'q';  // the terminal is gone
}

}  // namespace mallard::cli
