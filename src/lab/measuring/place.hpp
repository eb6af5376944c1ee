// A place in a bench: ordered names and values. The user's choice, a kernel's parameters and the
// coordinates that distinguish cells are all places.
#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace mallard::lab {

// Sizes that are log2 in the papers stay log2; forms and variants are words. Real numbers, such as
// seconds, say how a cell was measured; no two cells differ in one.
using coordinate = std::variant<std::int64_t, std::string, double>;

// A number's digits, or the word.
std::string to_string(const coordinate& value);

// In the order in which the names were added, which comparisons ignore.
class place {
 public:
  using entry = std::pair<std::string, coordinate>;
  using const_iterator = std::vector<entry>::const_iterator;

  place() = default;
  place(std::initializer_list<entry> all) : all_(all) {}

  // Adds the name, with the number 0, if it is missing.
  coordinate& operator[](std::string_view name);
  const_iterator find(std::string_view name) const;
  bool contains(std::string_view name) const { return find(name) != end(); }
  // Throw std::out_of_range, which names a coordinate that is missing or has another type.
  const coordinate& at(std::string_view name) const;
  std::int64_t number(std::string_view name) const;
  double real(std::string_view name) const;  // also for an integer
  const std::string& word(std::string_view name) const;

  void erase(std::string_view name);
  // Adds the coordinates of `more`, and replaces common ones.
  void join(const place& more);

  const_iterator begin() const { return all_.begin(); }
  const_iterator end() const { return all_.end(); }
  bool empty() const { return all_.empty(); }
  std::size_t size() const { return all_.size(); }

  friend bool operator==(const place& a, const place& b) { return (a <=> b) == 0; }
  friend std::partial_ordering operator<=>(const place& a, const place& b);

 private:
  std::vector<entry> all_;
};

// "threads 4, block 64"; empty for the empty place.
std::string to_string(const place& at);

}  // namespace mallard::lab
