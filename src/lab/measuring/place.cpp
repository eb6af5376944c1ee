#include "lab/measuring/place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace mallard::lab {
namespace {

std::vector<const place::entry*> by_name(const place& all) {
  std::vector<const place::entry*> sorted;
  sorted.reserve(all.size());
  for (const place::entry& one : all) sorted.push_back(&one);
  std::sort(sorted.begin(), sorted.end(),
            [](const auto* a, const auto* b) { return a->first < b->first; });
  return sorted;
}

template <class T>
const T& typed(const place& in, std::string_view name, const char* what) {
  const T* value = std::get_if<T>(&in.at(name));
  if (!value) throw std::out_of_range(fmt::format("'{}' is not {}", name, what));
  return *value;
}

}  // namespace

std::string to_string(const coordinate& value) {
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
  return std::to_string(std::get<std::int64_t>(value));
}

coordinate& place::operator[](std::string_view name) {
  for (entry& one : all_) {
    if (one.first == name) return one.second;
  }
  return all_.emplace_back(std::string(name), coordinate{}).second;
}

place::const_iterator place::find(std::string_view name) const {
  return std::find_if(all_.begin(), all_.end(),
                      [&](const entry& one) { return one.first == name; });
}

const coordinate& place::at(std::string_view name) const {
  const auto found = find(name);
  if (found == end()) throw std::out_of_range(fmt::format("there is no '{}'", name));
  return found->second;
}

std::int64_t place::number(std::string_view name) const {
  return typed<std::int64_t>(*this, name, "an integer");
}

double place::real(std::string_view name) const {
  if (const auto* integer = std::get_if<std::int64_t>(&at(name))) {
    return static_cast<double>(*integer);
  }
  return typed<double>(*this, name, "a number");
}

const std::string& place::word(std::string_view name) const {
  return typed<std::string>(*this, name, "a word");
}

void place::erase(std::string_view name) {
  std::erase_if(all_, [&](const entry& one) { return one.first == name; });
}

void place::join(const place& more) {
  for (const auto& [name, value] : more) (*this)[name] = value;
}

std::partial_ordering operator<=>(const place& a, const place& b) {
  const auto left = by_name(a);
  const auto right = by_name(b);
  const auto compare = [](const place::entry* one,
                          const place::entry* other) -> std::partial_ordering {
    if (const auto names = one->first <=> other->first; names != 0) return names;
    return one->second <=> other->second;
  };
  return std::lexicographical_compare_three_way(left.begin(), left.end(), right.begin(),
                                                right.end(), compare);
}

std::string to_string(const place& at) {
  std::string text;
  for (const auto& [name, value] : at) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, to_string(value));
  }
  return text;
}

}  // namespace mallard::lab
