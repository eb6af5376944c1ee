// Handlers of requests whose calls cannot be told apart by what lives between them: each puts
// something into a table that all calls share. The scopes marked in them say the truth.
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "mallard/profile.hpp"

namespace {

std::unordered_map<std::size_t, std::string> cache;
std::vector<std::string> journal;
constexpr std::size_t requests = 300;

struct node {
  node* next;
  std::size_t value;
};

// A table that grows in the first calls.
[[gnu::noinline]] std::size_t handle_with_cache(std::size_t request) {
  MALLARD_SCOPE("with_cache");
  node* list = nullptr;
  for (std::size_t i = 0; i < 200; ++i) list = new node{list, i};
  const auto [at, fresh] = cache.try_emplace(request % 100);
  if (fresh) at->second = std::string(100 + request, 'x');
  std::size_t sum = at->second.size();
  while (list != nullptr) {
    const std::unique_ptr<node> first(list);
    list = first->next;
    sum += first->value;
  }
  return sum;
}

[[gnu::noinline]] std::string parsed(std::size_t request) {
  return std::string(50 + request % 7, 'p');
}
[[gnu::noinline]] std::string rendered(const std::string& text, std::size_t part) {
  return text + std::to_string(part);
}

// A loop inside, of which something stays.
[[gnu::noinline]] std::size_t handle_with_parts(std::size_t request) {
  MALLARD_SCOPE("with_parts");
  const std::string text = parsed(request);
  std::size_t sum = 0;
  for (std::size_t i = 0; i < 5 + request % 40; ++i) {
    const std::string one = rendered(text, i);
    if (one.size() % 5 == 0) journal.push_back(one);
    sum += one.size();
  }
  return sum;
}

// Nothing but a loop: each allocation may be another call's.
[[gnu::noinline]] std::size_t handle_in_loop(std::size_t request) {
  MALLARD_SCOPE("in_loop");
  for (std::size_t i = 0; i < 5 + request % 40; ++i) {
    journal.push_back(std::string(40 + request % 3, 'b'));
  }
  return journal.size();
}

[[gnu::noinline]] std::size_t allocates_nothing(std::size_t request) {
  return request / 2;
}

}  // namespace

int main() {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < requests; ++i) sum += handle_with_cache(i);
  for (std::size_t i = 0; i < requests; ++i) sum += handle_with_parts(i);
  for (std::size_t i = 0; i < requests; ++i) sum += handle_in_loop(i);
  return sum + allocates_nothing(sum) == 0 ? 1 : 0;
}
