// Requests in JSON, by nlohmann's library. Every 125th leaves something behind.
#include <nlohmann/json.hpp>

#include "variant.hpp"

using namespace example;

namespace {

#if defined(MALLARD_BY_HAND) || defined(MALLARD_BY_TYPE)

// The library makes its allocators itself: they find the resource of the thread.
template <class T>
using current_allocator = mallard::thread_bound_allocator<T, resource>;
using text = std::basic_string<char, std::char_traits<char>, current_allocator<char>>;
using json = nlohmann::basic_json<std::map, std::vector, text, bool, std::int64_t, std::uint64_t,
                                  double, current_allocator>;
struct use_of : mallard::thread_binding<resource> {
  explicit use_of(allocator from) : thread_binding(*from.resource()) {}
};

#else

using json = nlohmann::json;
struct use_of {
  explicit use_of(allocator) {}
};

#endif

std::map<std::uint64_t, std::string> kept;

[[gnu::noinline]] void remember(std::uint64_t id, std::string_view name) {
  kept.insert_or_assign(id, std::string(name));
}

[[gnu::noinline]] std::uint64_t handle(const std::string& request) {
  memory<mallard::monotonic_resource> arena(16384);
  const use_of here(arena.get());
  const json read = json::parse(request);
  const auto id = read["id"].template get<std::uint64_t>();
  std::uint64_t sum = 0;
  for (const auto& one : read["items"]) sum += one["count"].template get<std::uint64_t>();
  const std::string_view name = read["name"].template get_ref<const json::string_t&>();
  if (id % 125 == 0) remember(id, name);
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  random_numbers random(16);
  std::uint64_t found = 0;
  const std::uint64_t rounds = amount(argc, argv, 40000);
  std::string request;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    request = "{\"id\":" + std::to_string(i) +
              ",\"name\":\"the name of a customer who asks for something\",\"items\":[";
    for (int j = 0; j < 12; ++j) {
      request += j == 0 ? "{" : ",{";
      request += "\"article\":\"something with a long description\",\"count\":" +
                 std::to_string(random.below(9)) + '}';
    }
    request += "]}";
    found += handle(request);
  }
  return tell(found + kept.size());
}
