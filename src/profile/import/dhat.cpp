#include "profile/import/dhat.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "profile/function_names.hpp"

namespace mallard::profile {
namespace {

// "0x49001FA: __fopen_internal (iofopen.c:65)" or "0x486405C: ??? (in /usr/lib/libselinux.so.1)".
function_name parse_frame(std::string_view text) {
  function_name made;
  const std::size_t colon = text.find(": ");
  if (text.starts_with("0x") && colon != text.npos) text.remove_prefix(colon + 2);
  const std::size_t paren = text.rfind(" (");
  if (paren == text.npos || !text.ends_with(')')) {
    made.name = text;
    return made;
  }
  made.name = text.substr(0, paren);
  std::string_view place = text.substr(paren + 2, text.size() - paren - 3);
  if (place.starts_with("in ")) {
    made.module = place.substr(3);
    // Each module needs a name of its own: otherwise all nameless functions would be one.
    if (made.name == "???") made.name = nameless_in(made.module);
    return made;
  }
  const std::size_t line = place.rfind(':');
  if (line != place.npos) {
    std::from_chars(place.data() + line + 1, place.data() + place.size(), made.line);
    place = place.substr(0, line);
  }
  made.file = place;
  return made;
}

class profile_maker {
 public:
  explicit profile_maker(const nlohmann::json& frames) {
    for (const nlohmann::json& one : frames) {
      function_name made = parse_frame(one.get<std::string>());
      heap_.push_back(is_allocation_function(made.name));
      made_.functions.push_back(std::move(made));
    }
  }

  void add(const nlohmann::json& point) {
    const nlohmann::json& stack = point.at("fs");
    std::uint32_t node = 0;
    for (auto frame = stack.rbegin(); frame != stack.rend(); ++frame) {
      const auto function = frame->get<std::uint32_t>();
      if (function >= heap_.size()) throw std::runtime_error("a frame that is not in its table");
      if (!heap_[function]) node = child(node, function);
    }
    stack_weights& own = made_.nodes[node].own;
    own.allocations += point.at("tbk").get<std::uint64_t>();
    own.operations = own.allocations;  // DHAT does not count frees by place
    own.bytes += point.at("tb").get<std::uint64_t>();
    own.leaked_blocks += point.value("ebk", std::uint64_t{0});
    own.leaked_bytes += point.value("eb", std::uint64_t{0});
    own.peak_blocks += point.value("gbk", std::uint64_t{0});
    own.peak_bytes += point.value("gb", std::uint64_t{0});
  }

  summed_profile take(std::string command) {
    return {std::move(command),
            std::move(made_),
            {"times", "threads", "addresses", "sizes", "the order of operations",
             "peaks of subsystems"}};
  }

 private:
  std::uint32_t child(std::uint32_t parent, std::uint32_t function) {
    const auto [at, fresh] =
        children_.try_emplace({parent, function}, static_cast<std::uint32_t>(made_.nodes.size()));
    if (fresh) made_.nodes.push_back({parent, function, {}});
    return at->second;
  }

  stack_profile made_;
  std::vector<bool> heap_;  // by function: whether it is the heap's
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> children_;
};

}  // namespace

bool is_dhat(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string start(40, '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  return start.find("\"dhatFileVersion\"") < 8;
}

summed_profile read_dhat(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(fmt::format("{}: {}", path, std::strerror(errno)));
  try {
    const nlohmann::json whole = nlohmann::json::parse(in);
    const int version = whole.at("dhatFileVersion").get<int>();
    if (version != 2) {
      throw std::runtime_error(fmt::format("version {} is not known, only 2", version));
    }
    profile_maker maker(whole.at("ftbl"));
    for (const nlohmann::json& point : whole.at("pps")) maker.add(point);
    return maker.take(whole.value("cmd", std::string()));
  } catch (const nlohmann::json::exception&) {
    throw std::runtime_error(path + ": is damaged, or not a file of DHAT");
  } catch (const std::runtime_error& problem) {
    throw std::runtime_error(fmt::format("{}: {}", path, problem.what()));
  }
}

}  // namespace mallard::profile
