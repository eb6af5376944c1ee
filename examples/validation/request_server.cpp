// A server: each request is parsed into headers and parameters, answered, and forgotten.
#include <string_view>

#include "mallard/monotonic.hpp"
#include "variant.hpp"

using namespace example;

namespace {

std::string make_request(random_numbers& random) {
  std::string text = "GET /shop/department/article?id=" + std::to_string(random.below(100000));
  for (std::uint64_t i = 0, n = 2 + random.below(5); i < n; ++i) {
    text +=
        "&parameter" + std::to_string(i) + "=value-number-" + std::to_string(random.below(9999));
  }
  text += "\n";
  for (std::uint64_t i = 0, n = 6 + random.below(8); i < n; ++i) {
    text += "X-Header-Of-The-Request-" + std::to_string(i) + ": some text that is not short " +
            std::to_string(random.below(1000)) + "\n";
  }
  return text;
}

using table = containers::map<containers::string, containers::string>;

std::string_view up_to(std::string_view& text, char end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return part;
}

[[gnu::noinline]] std::uint64_t handle_request(std::string_view text) {
  memory<mallard::monotonic_resource> arena(16384);
  table headers(arena.get()), parameters(arena.get());
  containers::vector<containers::string> path(arena.get());

  std::string_view line = up_to(text, '\n');
  std::string_view target = up_to(line, '?');
  while (!target.empty()) path.emplace_back(up_to(target, '/'));
  while (!line.empty()) {
    std::string_view one = up_to(line, '&');
    const std::string_view name = up_to(one, '=');
    parameters.emplace(name, one);
  }
  while (!text.empty()) {
    std::string_view one = up_to(text, '\n');
    const std::string_view name = up_to(one, ':');
    headers.emplace(name, one);
  }
  containers::string answer(arena.get());
  for (const auto& [name, value] : parameters) {
    answer.append(name.begin(), name.end()).append("=").append(value.begin(), value.end());
  }
  for (const auto& [name, value] : headers) answer.append(value.begin(), value.end());
  return answer.size() + path.size() + static_cast<unsigned char>(answer.back());
}

}  // namespace

int main(int argc, char** argv) {
  random_numbers random(1);
  std::vector<std::string> requests;
  for (int i = 0; i < 1000; ++i) requests.push_back(make_request(random));
  return sum_of_rounds(argc, argv, 300000,
                       [&](std::uint64_t i) { return handle_request(requests[i % 1000]); });
}
