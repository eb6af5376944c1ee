#include "cli/phase_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "cli/terminal.hpp"

namespace mallard::cli {

std::string phase_text(std::string_view phase, double passed, double most) {
  std::string out = fmt::format("{}: {:.0f} s", phase, passed);
  if (most > 0) out += fmt::format(", at most {:.0f} s", most);
  return out;
}

phase_line::phase_line() : is_terminal_(is_screen(STDERR_FILENO)) {
  // Signals are for the thread that waits for the program.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  ticker_ = std::jthread([this](const std::stop_token& over) {
    constexpr std::chrono::milliseconds between(500);
    std::unique_lock lock(mutex_);
    while (!waiting_.wait_for(lock, over, between, [&] { return over.stop_requested(); })) tick();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

phase_line::~phase_line() {
  ticker_.request_stop();
  if (ticker_.joinable()) ticker_.join();
  if (is_terminal_ && !phase_.empty()) std::fputs("\r\033[K", stderr);
}

void phase_line::begin(std::string_view phase, double most) {
  const std::lock_guard hold(mutex_);
  if (is_terminal_ && !phase_.empty()) {
    fmt::print(stderr, "\r\033[Kmallard: {}: {:.0f} s\n", phase_, passed());
  }
  phase_ = phase;
  most_ = most;
  began_ = std::chrono::steady_clock::now();
  told_at_ = first_told_seconds;
  if (is_terminal_) draw();
}

void phase_line::tick() {
  if (phase_.empty()) return;
  if (is_terminal_) return draw();
  if (passed() < told_at_) return;
  while (told_at_ <= passed()) told_at_ *= 2;
  fmt::print(stderr, "mallard: {}\n", phase_text(phase_, passed(), most_));
  std::fflush(stderr);
}

void phase_line::draw() const {
  fmt::print(stderr, "\r\033[Kmallard: {}", phase_text(phase_, passed(), most_));
  std::fflush(stderr);
}

double phase_line::passed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

}  // namespace mallard::cli
