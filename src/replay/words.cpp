#include "replay/replay.hpp"

namespace mallard::replay {

std::string_view to_string(replay_order order) {
  switch (order) {
    case replay_order::partial:
      return "partial";
    case replay_order::serial:
      return "serial";
    case replay_order::free_run:
      return "free-run";
  }
  return "?";
}

std::string_view to_string(think_time think) {
  switch (think) {
    case think_time::none:
      return "none";
    case think_time::scaled:
      return "scaled";
    case think_time::recorded:
      return "recorded";
  }
  return "?";
}

std::string_view to_string(touch_level touch) {
  switch (touch) {
    case touch_level::none:
      return "none";
    case touch_level::first:
      return "first";
    case touch_level::all:
      return "all";
    case touch_level::walk:
      return "walk";
  }
  return "?";
}

std::string_view to_string(heap_condition heap) {
  return heap == heap_condition::clean ? "clean" : "aged";
}

}  // namespace mallard::replay
