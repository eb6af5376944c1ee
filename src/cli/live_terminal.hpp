// The terminal while `mallard live` has it: another screen, keys without Enter.
#pragma once

#include <termios.h>

#include <string>

namespace mallard::cli {

// Whether there is one to show a screen on, and keys to read.
bool has_screen();

class live_terminal {
 public:
  live_terminal();
  ~live_terminal();  // as it was
  live_terminal(const live_terminal&) = delete;
  live_terminal& operator=(const live_terminal&) = delete;

  std::size_t width() const;
  std::size_t rows() const;
  void show(const std::string& lines) const;

 private:
  termios before_{};
};

// Waits so long, or until a key, which it returns; 0: none. A signal ends it, too.
char wait_for_key(double seconds, bool reads_keys);

}  // namespace mallard::cli
