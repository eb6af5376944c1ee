// The allocation strategies of P0089R1, Table 1, as data, plus four of our own: a monotonic
// resource that is given no buffer (AS3n..AS6n).
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
  bool callers_buffer;  // the monotonic resource starts in a buffer that is there already

  bool published() const { return !name.ends_with('n'); }  // is a column of the paper's tables
  friend bool operator==(const strategy&, const strategy&) = default;
};

// AS1..AS14, then AS3n..AS6n.
std::span<const strategy> all_strategies();

// Null when there is no strategy of that name.
const strategy* find_strategy(std::string_view name);

std::string_view to_string(mechanism what);
std::string_view to_string(binding how);
std::string_view to_string(destruction end);

}  // namespace mallard::lab
