// A queue of messages between two processes: one makes them in shared memory, the other reads them
// where they are, and gives their memory back. No byte is copied on the way.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>

#include "mallard/memory/offset_ptr.hpp"
#include "mallard/memory/shared.hpp"

namespace {

struct message {
  mallard::offset_ptr<char> text;  // right in both processes
  std::size_t bytes = 0;
};

// One process puts, one takes.
struct queue {
  std::array<message, 64> places;
  std::atomic<std::size_t> taken{0};
  std::atomic<std::size_t> put{0};

  void push(message m) {
    const std::size_t at = put.load(std::memory_order_relaxed);
    while (at - taken.load(std::memory_order_acquire) == places.size()) std::this_thread::yield();
    places[at % places.size()] = m;
    put.store(at + 1, std::memory_order_release);
  }
  message pop() {
    const std::size_t at = taken.load(std::memory_order_relaxed);
    while (put.load(std::memory_order_acquire) == at) std::this_thread::yield();
    const message m = places[at % places.size()];
    taken.store(at + 1, std::memory_order_release);
    return m;
  }
};

constexpr int messages = 10'000;

int produce(mallard::shared_resource& shared, queue& to) {
  for (int i = 0; i < messages; ++i) {
    char text[40];
    const auto bytes = static_cast<std::size_t>(std::snprintf(text, sizeof text, "message %d", i));
    auto* const there = static_cast<char*>(shared.allocate(bytes, 1));
    std::memcpy(there, text, bytes);
    to.push({there, bytes});
  }
  return 0;
}

int consume(mallard::shared_resource& shared, queue& from) {
  int wrong = 0;
  for (int i = 0; i < messages; ++i) {
    const message m = from.pop();
    const std::string_view text(m.text.get(), m.bytes);
    wrong += text != "message " + std::to_string(i);
    shared.deallocate(m.text.get(), m.bytes, 1);
  }
  return wrong;
}

}  // namespace

int main() {
  mallard::shared_resource shared = mallard::shared_resource::anonymous();
  queue* const q = shared.make<queue>("queue");
  const pid_t producer = fork();
  if (producer == 0) {
    // Its own view of the memory, at another address; a program that is started by itself would
    // open the memory by its name.
    mallard::shared_resource own = mallard::shared_resource::attach(shared.descriptor());
    _exit(produce(own, *own.find<queue>("queue")));
  }
  const int wrong = consume(shared, *q);
  int status = 0;
  waitpid(producer, &status, 0);
  std::printf("%d messages, %d wrong; the memory needed %zu KiB\n", messages, wrong,
              shared.stats().usable_bytes / 1024);
  return wrong == 0 && status == 0 ? 0 : 1;
}
