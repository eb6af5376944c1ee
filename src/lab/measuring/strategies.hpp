// The allocation strategies of P0089R1, Table 1, as data, and four of our own: monotonic resources
// without a buffer (AS3n..AS6n).
#pragma once

#include <span>
#include <string_view>

namespace mallard::lab {

enum class mechanism { global, monotonic, multipool, multipool_on_monotonic };
enum class binding { type_parameter, abstract_base };
enum class destruction { normal, winked_out };

struct strategy {
  std::string_view name;
  mechanism what;
  binding how;
  destruction end;
  bool callers_buffer;  // the monotonic resource starts in an existing buffer

  bool published() const { return !name.ends_with('n'); }  // in the paper's tables
  friend bool operator==(const strategy&, const strategy&) = default;
};

// AS1..AS14, then AS3n..AS6n.
std::span<const strategy> all_strategies();

// Returns: null if there is no strategy with this name.
const strategy* find_strategy(std::string_view name);

std::string_view to_string(mechanism what);
std::string_view to_string(binding how);
std::string_view to_string(destruction end);

}  // namespace mallard::lab
