#include "cli/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/terminal.hpp"

namespace mallard::cli {
namespace {

constexpr std::size_t bar_width = 30;
constexpr const char* wipe_line = "\r\033[K";

}  // namespace

std::string progress_line(const lab::progress& now) {
  const std::size_t total = std::max<std::size_t>(1, now.total);
  const std::size_t filled = now.done * bar_width / total;
  const auto left = static_cast<long>(std::ceil(std::max(0.0, now.seconds_left)));
  return fmt::format("[{}{}] {:3} %  {:<5} {}:{:02} left", std::string(filled, '='),
                     std::string(bar_width - filled, ' '), now.done * 100 / total, now.doing,
                     left / 60, left % 60);
}

progress_bar::progress_bar() : visible_(is_screen(STDERR_FILENO)) {}

progress_bar::~progress_bar() {
  if (visible_) std::fputs(wipe_line, stderr);
}

void progress_bar::show(const lab::progress& now) {
  if (!visible_) return;
  fmt::print(stderr, "{}{}", wipe_line, progress_line(now));
  std::fflush(stderr);
}

}  // namespace mallard::cli
