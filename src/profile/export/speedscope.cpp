#include <nlohmann/json.hpp>
#include <numeric>

#include "profile/export/stack_formats.hpp"

namespace mallard::profile {
namespace {

using json = nlohmann::ordered_json;

json stack_of(const stack_profile& profile, std::uint32_t at) {
  std::vector<std::uint32_t> frames;
  for (; at != 0; at = profile.nodes[at].parent) frames.push_back(profile.nodes[at].function);
  return json(std::vector<std::uint32_t>(frames.rbegin(), frames.rend()));
}

json one_profile(const stack_profile& profile, const weight_kind& kind) {
  json samples = json::array();
  json weights = json::array();
  std::uint64_t sum = 0;
  for (std::uint32_t at = 1; at < profile.nodes.size(); ++at) {
    const std::uint64_t value = profile.nodes[at].own.*kind.value;
    if (value == 0) continue;
    samples.push_back(stack_of(profile, at));
    weights.push_back(value);
    sum += value;
  }
  return {{"type", "sampled"},
          {"name", kind.name},
          {"unit", kind.unit == "count" ? "none" : kind.unit},
          {"startValue", 0},
          {"endValue", sum},
          {"samples", std::move(samples)},
          {"weights", std::move(weights)}};
}

}  // namespace

std::string to_speedscope(const stack_profile& profile, const std::string& title) {
  json frames = json::array();
  for (const function_name& one : profile.functions) {
    json frame = {{"name", one.name}};
    if (!one.file.empty()) frame["file"] = one.file;
    if (one.line != 0) frame["line"] = one.line;
    frames.push_back(std::move(frame));
  }
  json profiles = json::array();
  for (const weight_kind& kind : weight_kinds) {
    json made = one_profile(profile, kind);
    if (!made["samples"].empty()) profiles.push_back(std::move(made));
  }
  // speedscope refuses a file without a profile.
  if (profiles.empty()) profiles.push_back(one_profile(profile, weight_kinds[0]));
  const json whole = {{"$schema", "https://www.speedscope.app/file-format-schema.json"},
                      {"name", title},
                      {"exporter", "mallard"},
                      {"activeProfileIndex", 0},
                      {"shared", {{"frames", std::move(frames)}}},
                      {"profiles", std::move(profiles)}};
  return whole.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace mallard::profile
