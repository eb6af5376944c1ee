// Expressions are read into trees, computed, and dropped.
#include <string_view>

#include "variant.hpp"

using namespace example;

namespace {

struct node {
  char operation;  // 'n': a number
  std::uint64_t value;
  node* left;
  node* right;
};

class compiler {
 public:
  compiler(std::string_view text, allocator from) : at_(text.data()), nodes_(from) {}

  node* sum() {
    node* out = product();
    while (*at_ == '+' || *at_ == '-') {
      const char operation = *at_++;
      out = make(operation, 0, out, product());
    }
    return out;
  }

 private:
  node* product() {
    node* out = factor();
    while (*at_ == '*') {
      ++at_;
      out = make('*', 0, out, factor());
    }
    return out;
  }
  node* factor() {
    if (*at_ == '(') {
      ++at_;
      node* const out = sum();
      ++at_;
      return out;
    }
    std::uint64_t value = 0;
    while (*at_ >= '0' && *at_ <= '9')
      value = value * 10 + static_cast<std::uint64_t>(*at_++ - '0');
    return make('n', value, nullptr, nullptr);
  }
  node* make(char operation, std::uint64_t value, node* left, node* right) {
    return &nodes_.emplace_back(node{operation, value, left, right});
  }

  const char* at_;
  containers::list<node> nodes_;
};

std::uint64_t compute(const node& one) {
  if (one.operation == 'n') return one.value;
  const std::uint64_t left = compute(*one.left);
  const std::uint64_t right = compute(*one.right);
  return one.operation == '+' ? left + right : one.operation == '-' ? left - right : left * right;
}

void write(std::string& text, random_numbers& random, int depth) {
  if (depth == 0) {
    text += std::to_string(random.below(100));
    return;
  }
  text += '(';
  write(text, random, depth - 1);
  text += "+-*"[random.below(3)];
  write(text, random, depth - 1);
  text += ')';
}

[[gnu::noinline]] std::uint64_t evaluate(std::string_view text) {
  memory<mallard::monotonic_resource> arena(32768);
  compiler from(text, arena.get());
  return compute(*from.sum());
}

}  // namespace

int main(int argc, char** argv) {
  random_numbers random(12);
  std::vector<std::string> texts(50);
  for (std::string& one : texts) write(one, random, 8);
  return sum_of_rounds(argc, argv, 60000,
                       [&](std::uint64_t i) { return evaluate(texts[i % texts.size()]); });
}
