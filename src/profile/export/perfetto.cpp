#include "profile/export/perfetto.hpp"

#include <nlohmann/json.hpp>

namespace mallard::profile {
namespace {

using json = nlohmann::ordered_json;

// The format's unit is the microsecond.
double microseconds(std::uint64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1e3;
}

}  // namespace

std::string to_perfetto(const timeline& data, const std::string& program, long process) {
  json events = json::array();
  events.push_back(
      {{"ph", "M"}, {"name", "process_name"}, {"pid", process}, {"args", {{"name", program}}}});
  for (std::size_t s = 0; s < data.names.size(); ++s) {
    for (std::size_t t = 0; t < data.times.size(); ++t) {
      events.push_back({{"ph", "C"},
                        {"name", data.names[s]},
                        {"pid", process},
                        {"ts", microseconds(data.times[t])},
                        {"args", {{"live bytes", data.live[s][t]}}}});
    }
    // Each subsystem's epochs are on a track of their own, because those of two may overlap.
    events.push_back({{"ph", "M"},
                      {"name", "thread_name"},
                      {"pid", process},
                      {"tid", s + 1},
                      {"args", {{"name", "epochs of " + data.names[s]}}}});
    for (const time_span& one : data.epochs[s].shown) {
      events.push_back({{"ph", "X"},
                        {"name", "epoch"},
                        {"pid", process},
                        {"tid", s + 1},
                        {"ts", microseconds(one.from)},
                        {"dur", microseconds(one.to - one.from)}});
    }
  }
  const json whole = {{"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}};
  return whole.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace mallard::profile
