// A loop of main reads documents, changes them, and drops them: no function ends when all is dead.
#include <string_view>

#include "variant.hpp"

using namespace example;

namespace {

using document = containers::list<containers::string>;

[[gnu::noinline]] document read(std::uint64_t number, allocator from) {
  document out(from);
  for (std::uint64_t i = 0; i < 200; ++i) {
    containers::string& line = out.emplace_back();
    line.append("line of some length with the number ");
    line.append(std::to_string(number + i));
  }
  return out;
}

[[gnu::noinline]] void change(document& all) {
  for (auto at = all.begin(); at != all.end(); ++at) {
    if (at->back() == '7') all.insert(at, containers::string(*at, all.get_allocator()));
  }
}

[[gnu::noinline]] std::uint64_t size_of(const document& all) {
  std::uint64_t out = 0;
  for (const containers::string& one : all) out += one.size();
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t found = 0;
  const std::uint64_t rounds = amount(argc, argv, 30000);
  for (std::uint64_t i = 0; i < rounds; ++i) {
    memory<mallard::monotonic_resource> arena(65536);
    document one = read(i, arena.get());
    change(one);
    found += size_of(one);
  }
  return tell(found);
}
