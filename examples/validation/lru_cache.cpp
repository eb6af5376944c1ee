// A cache that drops what was not asked for longest: entries come and go for as long as it lives.
#include "mallard/multipool.hpp"
#include "variant.hpp"

using namespace example;

namespace {

class cache {
 public:
  explicit cache(std::size_t most) : most_(most) {}

  [[gnu::noinline]] std::uint64_t get(std::uint64_t key) {
    if (const auto known = places_.find(key); known != places_.end()) {
      entries_.splice(entries_.begin(), entries_, known->second);
      return known->second->text.size();
    }
    if (entries_.size() == most_) {
      places_.erase(entries_.back().key);
      entries_.pop_back();
    }
    entries_.emplace_front(key, memory_.get());
    places_.emplace(key, entries_.begin());
    return 1;
  }

 private:
  struct entry {
    entry(std::uint64_t number, const allocator& from) : key(number), text(from) {
      text.assign(20 + number % 100, static_cast<char>('a' + number % 26));
    }
    std::uint64_t key;
    containers::string text;
  };
  memory<mallard::multipool_resource> memory_;
  std::size_t most_;
  containers::list<entry> entries_{memory_.get()};
  containers::unordered_map<std::uint64_t, containers::list<entry>::iterator> places_{
      memory_.get()};
};

}  // namespace

int main(int argc, char** argv) {
  random_numbers random(3);
  cache recent(50000);
  std::uint64_t found = 0;
  const std::uint64_t asked = amount(argc, argv, 2500000);
  for (std::uint64_t i = 0; i < asked; ++i) {
    // Half of what is asked for is often asked for.
    found += recent.get(random.below(2) == 0 ? random.below(20000) : random.below(1000000));
  }
  return tell(found);
}
