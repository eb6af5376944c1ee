// Reading the members of a JSON object that some other program may have written.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace mallard::lab {

using json = nlohmann::ordered_json;

// A member that must be there and of the right type; anything else is one line of complaint.
template <class T>
T required(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) throw std::runtime_error(fmt::format("'{}' is missing", name));
  try {
    return found->get<T>();
  } catch (const json::exception&) {
    throw std::runtime_error(fmt::format("'{}' has the wrong type", name));
  }
}

// A member that older files or other writers may leave out.
template <class T>
T optional(const json& object, const char* name, T otherwise = {}) {
  return object.contains(name) ? required<T>(object, name) : otherwise;
}

}  // namespace mallard::lab
