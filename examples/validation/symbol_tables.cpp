// Nested scopes of a language, in Boost's containers: names are declared, looked up, and dropped.
#include <boost/container/list.hpp>
#include <boost/container/map.hpp>
#include <string_view>

#include "variant.hpp"

using namespace example;

namespace {

using name = containers::string;
using table = boost::container::map<name, std::uint64_t, std::less<>,
                                    allocator_of<std::pair<const name, std::uint64_t>>>;

class scopes {
 public:
  explicit scopes(allocator from) : from_(from), open_(allocator_of<table>(from)) {}

  void enter() { open_.emplace_back(); }
  void leave() { open_.pop_back(); }
  void declare(const name& text, std::uint64_t type) {
    open_.back().insert_or_assign(name(text, from_), type);
  }
  std::uint64_t find(const name& text) const {
    for (auto at = open_.rbegin(); at != open_.rend(); ++at) {
      const auto found = at->find(std::string_view(text));
      if (found != at->end()) return found->second;
    }
    return 0;
  }

 private:
  allocator from_;
  boost::container::list<table, allocator_of<table>> open_;
};

[[gnu::noinline]] std::uint64_t compile_function(random_numbers& random) {
  memory<mallard::monotonic_resource> arena(65536);
  scopes all(arena.get());
  std::uint64_t found = 0;
  for (int depth = 0; depth < 12; ++depth) {
    all.enter();
    for (int i = 0; i < 20; ++i) {
      const auto some_name = [&] {
        return numbered("a_variable_with_a_long_name_", random.below(200), arena.get());
      };
      all.declare(some_name(), random.below(9));
      found += all.find(some_name());
    }
  }
  for (int depth = 0; depth < 12; ++depth) all.leave();
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  random_numbers random(22);
  return sum_of_rounds(argc, argv, 6000, [&](std::uint64_t) { return compile_function(random); });
}
