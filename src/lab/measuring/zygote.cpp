#include "lab/measuring/zygote.hpp"

#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <span>
#include <stdexcept>
#include <system_error>

#include "lab/measuring/aging.hpp"
#include "lab/measuring/helper_process.hpp"

namespace mallard::lab {
namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// The zygote's first message to its parent.
constexpr char ready = 'r';

// Static room for any work, so that the heap stays unchanged.
alignas(std::max_align_t) std::array<std::byte, most_work_bytes> received_work;

// The original's buffer, written to before any child is forked.
std::span<std::byte> make_buffer(std::size_t bytes) {
  if (bytes == 0) return {};
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) fail("mmap");
  std::memset(mapped, 1, bytes);
  return {static_cast<std::byte*>(mapped), bytes};
}

// Pages for readings on their way through.
class passing_readings {
 public:
  explicit passing_readings(std::size_t count) : bytes_(count * sizeof(reading)) {
    if (bytes_ == 0) return;
    mapped_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped_ == MAP_FAILED) fail("mmap");
  }
  ~passing_readings() {
    if (mapped_) munmap(mapped_, bytes_);
  }
  passing_readings(const passing_readings&) = delete;
  passing_readings& operator=(const passing_readings&) = delete;

  bool receive(int channel) { return read_all(channel, mapped_, bytes_); }
  std::span<const reading> all() const {
    return {static_cast<const reading*>(mapped_), bytes_ / sizeof(reading)};
  }

 private:
  void* mapped_ = nullptr;
  std::size_t bytes_;
};

// Passes the answer on, but only if it is complete.
bool pass_on(int from, int to) {
  answer_head head;
  if (!read_all(from, &head, sizeof head)) return false;
  passing_readings taken(head.count);
  return taken.receive(from) && send_answer(to, head, taken.all());
}

// Runs one repetition in a copy of this process.
void run_in_child(const errand& what, int answers, std::span<std::byte> buffer) {
  const process::ends channel = make_channel();
  const pid_t child = process::copy_of_this();
  if (child == 0) {
    become_helper();
    be_expendable();
    readings taken;
    answer_head answer;
    perform(what, what.run, received_work.data(), buffer, taken, answer);
    send_answer(channel.theirs, answer, taken.all());
    _exit(0);
  }
  close(channel.theirs);
  pollfd waiting{.fd = channel.mine, .events = POLLIN, .revents = 0};
  const auto milliseconds = static_cast<int>(what.limits.timeout_seconds * 1000);
  const bool timed_out = poll(&waiting, 1, milliseconds) == 0;
  if (timed_out) kill(child, SIGKILL);
  const bool complete = !timed_out && pass_on(channel.mine, answers);
  close(channel.mine);
  const int status = process::wait_for(child);
  if (complete) return;
  answer_head failed;
  failed.fail(describe_end(status, timed_out, what.limits.timeout_seconds));
  send_answer(answers, failed, {});
}

[[noreturn]] void serve(int channel, heap_state heap, std::size_t buffer_bytes) {
  become_helper();
  try {
    if (heap != heap_state::clean) {
      aging_recipe recipe;
      if (heap == heap_state::aged_unsettled) recipe = original_aging;
      age_heap(recipe);
    }
    const std::span<std::byte> buffer = make_buffer(buffer_bytes);
    if (!write_all(channel, &ready, sizeof ready)) _exit(0);
    for (errand what; read_all(channel, &what, sizeof what);) {
      if (!read_all(channel, received_work.data(), what.work_bytes)) break;
      run_in_child(what, channel, buffer);
    }
  } catch (const std::exception&) {
    _exit(1);  // the parent sees that the channel is closed
  }
  _exit(0);
}

}  // namespace

zygote::zygote(heap_state heap, std::size_t buffer_bytes) {
  const process::ends channel = make_channel();
  process_ = process::copy_of_this();
  if (process_ == 0) {
    close(channel.mine);
    serve(channel.theirs, heap, buffer_bytes);
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
  process::wait_for(process_);
  close(channel_);
}

outcome zygote::run(const task& what, const measuring_limits& limits, bool (*interrupted)()) {
  std::optional<outcome> answer;
  if (send_errand(channel_, what, limits)) answer = receive_answer(channel_, interrupted);
  return answer ? std::move(*answer) : failed_outcome("the measuring process is gone");
}

}  // namespace mallard::lab
