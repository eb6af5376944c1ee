// Reads the members of a JSON object that another program may have written.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace mallard::lab {

using json = nlohmann::ordered_json;

template <class T>
inline constexpr bool is_integer_type = std::is_integral_v<T> && !std::is_same_v<T, bool>;

// The library converts any number to any other; here an integer must be one, and in range.
template <class T>
bool integers_fit(const json& value) {
  if constexpr (is_integer_type<T>) {
    if (!value.is_number_integer()) return false;
    return value.is_number_unsigned() ? std::in_range<T>(value.get<std::uint64_t>())
                                      : std::in_range<T>(value.get<std::int64_t>());
  } else if constexpr (requires { typename T::value_type; }) {
    if constexpr (is_integer_type<typename T::value_type> && !std::is_same_v<T, std::string>) {
      return std::all_of(value.begin(), value.end(), integers_fit<typename T::value_type>);
    }
  }
  return true;
}

// A required member of the right type; otherwise throws one line.
template <class T>
T required(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) throw std::runtime_error(fmt::format("'{}' is missing", name));
  try {
    if (integers_fit<T>(*found)) return found->template get<T>();
  } catch (const json::exception&) {
  }
  throw std::runtime_error(fmt::format("'{}' has the wrong type", name));
}

// A member that older files or other writers may omit.
template <class T>
T optional(const json& object, const char* name, T otherwise = {}) {
  return object.contains(name) ? required<T>(object, name) : otherwise;
}

// Whether a cell is good; if not, `error` has the reason.
inline bool read_status(const json& object, std::string& error) {
  const auto status = required<std::string>(object, "status");
  if (status == "ok") return true;
  if (status != "failed") throw std::runtime_error(fmt::format("unknown status '{}'", status));
  error = required<std::string>(object, "error");
  if (error.empty()) throw std::runtime_error("'error' is empty");
  return false;
}

}  // namespace mallard::lab
