#include "lab/zygote.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include "lab/aging.hpp"
#include "lab/helper_process.hpp"

namespace mallard::lab {
namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// The zygote's first word to its parent.
constexpr char ready = 'r';

// The original's buffer: written to before any child is forked.
std::span<std::byte> make_paper_buffer(std::size_t bytes) {
  if (bytes == 0) return {};
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) fail("mmap");
  std::memset(mapped, 1, bytes);
  return {static_cast<std::byte*>(mapped), bytes};
}

}  // namespace

// In the zygote: one repetition in a copy of this process.
void zygote::run_in_child(const errand& what, const void* job, std::span<std::byte> paper_buffer,
                          void* result) {
  const channel_pair channel = make_channel();
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    become_helper();
    be_expendable();
    what.perform(job, paper_buffer, result);
    write_all(channel.theirs, result, what.outcome_bytes);
    _exit(0);
  }
  close(channel.theirs);
  pollfd waiting{.fd = channel.mine, .events = POLLIN, .revents = 0};
  const auto milliseconds = static_cast<int>(what.timeout_seconds * 1000);
  const bool timed_out = poll(&waiting, 1, milliseconds) == 0;
  if (timed_out) kill(child, SIGKILL);
  const bool complete = !timed_out && read_all(channel.mine, result, what.outcome_bytes);
  close(channel.mine);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!complete) what.fail(result, describe_end(status, timed_out, what.timeout_seconds));
}

void zygote::serve(int channel, heap_state heap, std::size_t paper_buffer_bytes) {
  become_helper();
  // Room for any job and its outcome, made now: the heap stays as it is from here on.
  alignas(std::max_align_t) static std::array<std::byte, largest_message> job;
  alignas(std::max_align_t) static std::array<std::byte, largest_message> result;
  try {
    if (heap != heap_state::clean) {
      aging_recipe recipe;
      if (heap == heap_state::aged_unsettled) recipe = original_aging;
      age_heap(recipe);
    }
    const std::span<std::byte> buffer = make_paper_buffer(paper_buffer_bytes);
    if (!write_all(channel, &ready, sizeof ready)) _exit(0);
    for (errand what; read_all(channel, &what, sizeof what);) {
      if (!read_all(channel, job.data(), what.job_bytes)) break;
      run_in_child(what, job.data(), buffer, result.data());
      if (!write_all(channel, result.data(), what.outcome_bytes)) break;
    }
  } catch (const std::exception&) {
    _exit(1);  // the parent sees the channel closed
  }
  _exit(0);
}

zygote::zygote(heap_state heap, std::size_t paper_buffer_bytes) {
  const channel_pair channel = make_channel();
  process_ = fork();
  if (process_ < 0) fail("fork");
  if (process_ == 0) {
    close(channel.mine);
    serve(channel.theirs, heap, paper_buffer_bytes);
  }
  close(channel.theirs);
  channel_ = channel.mine;
  char word = 0;
  if (!read_all(channel_, &word, sizeof word)) {
    stop();
    throw std::runtime_error("the process that is to hold the heap could not be prepared");
  }
}

zygote::~zygote() {
  stop();
}

void zygote::stop() noexcept {
  kill(process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  close(channel_);
}

void zygote::run(const errand& sent, const void* job, void* result, bool (*interrupted)()) {
  if (!write_all(channel_, &sent, sizeof sent) || !write_all(channel_, job, sent.job_bytes) ||
      !read_all(channel_, result, sent.outcome_bytes, interrupted)) {
    sent.fail(result, "the measuring process is gone");
  }
}

}  // namespace mallard::lab
