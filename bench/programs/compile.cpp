// A program for the compiler to chew on.
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

using value = std::variant<int, double, std::string, std::vector<int>>;

int main() {
  std::map<std::string, std::vector<value>> table;
  std::unordered_map<int, std::function<std::string(const value&)>> show;
  std::regex pattern("([a-z]+)=([0-9]+)");
  std::string line;
  while (std::getline(std::cin, line)) {
    std::smatch found;
    if (std::regex_match(line, found, pattern)) {
      table[found[1]].push_back(std::stoi(found[2]));
    }
  }
  show[0] = [](const value& v) {
    std::ostringstream out;
    std::visit(
        [&](const auto& x) {
          if constexpr (requires { out << x; }) out << x;
        },
        v);
    return out.str();
  };
  for (auto& [name, values] : table) {
    std::sort(values.begin(), values.end());
    for (const value& v : values) std::cout << name << ' ' << show[0](v) << '\n';
  }
}
