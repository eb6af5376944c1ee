// Producers make messages, consumers read and drop them: blocks are freed by another thread than
// had allocated them.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "mallard/synchronized_multipool.hpp"
#include "variant.hpp"

using namespace example;

namespace {

memory<mallard::synchronized_multipool_resource> messages;

struct message {
  explicit message(const allocator& from) : words(from), text(from) {}
  containers::vector<std::uint64_t> words;
  containers::string text;
};

using batch = containers::list<message>;

class channel {
 public:
  void put(batch some) {
    std::unique_lock hold(lock_);
    changed_.wait(hold, [&] { return waiting_.size() < 16; });
    waiting_.push_back(std::move(some));
    changed_.notify_all();
  }
  // False at the end.
  bool take(batch& out) {
    std::unique_lock hold(lock_);
    changed_.wait(hold, [&] { return !waiting_.empty() || ended_; });
    if (waiting_.empty()) return false;
    out = std::move(waiting_.front());
    waiting_.erase(waiting_.begin());
    changed_.notify_all();
    return true;
  }
  void end() {
    const std::lock_guard hold(lock_);
    ended_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  std::vector<batch> waiting_;
  bool ended_ = false;
};

[[gnu::noinline]] batch make_batch(random_numbers& random) {
  batch out(messages.get());
  for (int i = 0; i < 200; ++i) {
    message& one = out.emplace_back(messages.get());
    one.words.assign(1 + random.below(12), i);
    one.text.assign(20 + random.below(60), 'm');
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t batches = amount(argc, argv, 8000);
  channel between;
  std::atomic<std::uint64_t> found{0};
  std::thread consumer([&] {
    for (batch some(messages.get()); between.take(some);) {
      for (const message& one : some) found += one.words.size() + one.text.size();
      some.clear();
    }
  });
  random_numbers random(6);
  for (std::uint64_t i = 0; i < batches; ++i) between.put(make_batch(random));
  between.end();
  consumer.join();
  return tell(found);
}
