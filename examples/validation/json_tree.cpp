// A document is read into a tree of values, looked through, and dropped.
#include <string_view>

#define EXAMPLE_BINDS_ITS_THREAD
#include "variant.hpp"

using namespace example;

namespace {

// As JSON, but for what nobody needs here: objects, arrays, numbers.
struct value {
  using allocator_type = decltype(containers::vector<int>().get_allocator());
  explicit value(const allocator_type& from) : members(from), elements(from) {}
  value(value&& other, const allocator_type& from)
      : members(std::move(other.members), from),
        elements(std::move(other.elements), from),
        number(other.number) {}
  value(value&&) = default;

  containers::vector<std::pair<containers::string, value>> members;
  containers::vector<value> elements;
  double number = 0;
};

void write(std::string& text, random_numbers& random, int depth) {
  if (depth == 0) {
    text += std::to_string(random.below(1000));
  } else if (depth % 2 == 0) {
    text += '[';
    for (int i = 0; i < 6; ++i) write(text, random, depth - 1);
    text += ']';
  } else {
    text += '{';
    for (int i = 0; i < 5; ++i) {
      text += "\"the name of member number " + std::to_string(i) + "\":";
      write(text, random, depth - 1);
    }
    text += '}';
  }
  text += ',';
}

class parser {
 public:
  parser(std::string_view text, allocator from) : at_(text.data()), from_(from) {}

  value parse() {
    value out(from_);
    if (*at_ == '[') {
      for (++at_; *at_ != ']';) out.elements.push_back(parse());
      ++at_;
    } else if (*at_ == '{') {
      for (++at_; *at_ != '}';) {
        const char* const begin = ++at_;
        while (*at_ != '"') ++at_;
        containers::string name(begin, at_, from_);
        at_ += 2;
        out.members.emplace_back(std::move(name), parse());
      }
      ++at_;
    } else {
      while (*at_ != ',') out.number = out.number * 10 + (*at_++ - '0');
    }
    ++at_;  // the comma
    return out;
  }

 private:
  const char* at_;
  allocator from_;
};

std::uint64_t sum(const value& one) {
  auto out = static_cast<std::uint64_t>(one.number);
  for (const value& element : one.elements) out += sum(element);
  for (const auto& [name, member] : one.members) out += name.size() + sum(member);
  return out;
}

[[gnu::noinline]] std::uint64_t read_document(std::string_view text) {
  memory<mallard::monotonic_resource> arena(65536);
  const value document = parser(text, arena.get()).parse();
  return sum(document);
}

}  // namespace

int main(int argc, char** argv) {
  random_numbers random(2);
  std::string text;
  write(text, random, 5);
  return sum_of_rounds(argc, argv, 1200, [&](std::uint64_t) { return read_document(text); });
}
