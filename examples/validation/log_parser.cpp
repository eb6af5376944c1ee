// Lines of a log: each is cut into fields, of which a few are counted.
#include <string_view>

#include "variant.hpp"

using namespace example;

namespace {

struct totals {
  std::map<std::string, std::uint64_t, std::less<>> by_host;
  std::uint64_t bytes = 0;
};

[[gnu::noinline]] void read_line(std::string_view line, totals& into) {
  memory<mallard::monotonic_resource> arena(2048);
  containers::vector<containers::string> fields(arena.get());
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    fields.emplace_back(line.substr(at, end - at));
    at = end + 1;
  }
  const std::string_view host = fields[0];
  const auto known = into.by_host.find(host);
  if (known == into.by_host.end()) {
    into.by_host.emplace(host, 1);
  } else {
    ++known->second;
  }
  into.bytes += std::strtoull(fields.back().c_str(), nullptr, 10);
}

}  // namespace

int main(int argc, char** argv) {
  random_numbers random(17);
  std::vector<std::string> lines;
  for (int i = 0; i < 2000; ++i) {
    lines.push_back("host-number-" + std::to_string(random.below(300)) +
                    ".example.org - - [24/Nov/2026:22:45:52] \"GET "
                    "/a/path/that/is/rather/long/page-" +
                    std::to_string(random.below(5000)) +
                    " HTTP/1.1\" Mozilla/5.0-and-its-friends 200 " +
                    std::to_string(random.below(100000)));
  }
  totals found;
  const std::uint64_t rounds = amount(argc, argv, 800);
  for (std::uint64_t i = 0; i < rounds; ++i) {
    for (const std::string& line : lines) read_line(line, found);
  }
  return tell(found.bytes + found.by_host.size());
}
