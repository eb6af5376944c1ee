// Shared by the functions that find_run() returns.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "replay/memories.hpp"
#include "replay/play.hpp"
#include "replay/program.hpp"
#include "replay/run.hpp"

namespace mallard::replay::detail {

enum class page_state { in_memory, untouched };

// Zeroed pages.
class pages {
 public:
  pages(std::size_t bytes, page_state state);
  ~pages();
  pages(const pages&) = delete;
  pages& operator=(const pages&) = delete;
  std::span<std::byte> all() const { return {start_, bytes_}; }

 private:
  std::byte* start_;
  std::size_t bytes_;
};

// Calls play(number) for all lanes at once, on threads of their own if there are several. Returns:
// the processor seconds of all.
double time_lanes(std::size_t lanes, void* data, void (*play)(void* data, std::size_t number),
                  void (*fail)(std::string_view why));

// make(lane's buffer) returns the target of the subsystem's operations in a lane.
template <class Own, class Rest, class Make>
run_result run_lanes(const program_view& what, const run_setting& how, std::size_t buffer,
                     void (*fail)(std::string_view why), const Make& make) {
  pages slots(what.facts().slots * sizeof(void*), page_state::in_memory);
  struct state {
    std::vector<lane_work> work;
    std::vector<std::unique_ptr<pages>> buffers;
    std::vector<std::unique_ptr<thinker>> thinkers;
    std::vector<std::unique_ptr<Own>> own;
    Rest rest;
  } all;
  for (std::size_t i = 0; i < what.lanes(); ++i) {
    lane_work& one = all.work.emplace_back();
    one.operations = what.lane(i);
    one.slots = reinterpret_cast<void**>(slots.all().data());
    one.walks = what.walks().data();
    one.setting = how.play;
    if (how.play.thinks) {
      all.thinkers.push_back(
          std::make_unique<thinker>(how.steps_per_ns, how.pollution_bytes / what.lanes()));
      one.think = all.thinkers.back().get();
    }
    all.buffers.push_back(std::make_unique<pages>(buffer, page_state::untouched));
    all.own.push_back(make(all.buffers.back()->all()));
  }
  const auto play = [](void* data, std::size_t number) {
    state& mine = *static_cast<state*>(data);
    player<Own, Rest>(mine.work[number], *mine.own[number], mine.rest).run();
  };
  run_result result;
  result.seconds = time_lanes(what.lanes(), &all, play, fail);
  for (const lane_work& one : all.work) {
    result.seconds -= one.waited;
    result.done += one.done;
    result.read += one.read;
  }
  return result;
}

// The strategies of one library.
template <class Family>
run_function find_family_run(std::string_view strategy) {
  using monotonic = monotonic_resources<Family>;
  using multipool = multipool_resources<Family>;
  using layered = layered_resources<Family>;
  const auto run_of = []<class Resources, class Bound>(std::type_identity<Resources>,
                                                       std::type_identity<Bound>) -> run_function {
    return [](const program_view& what, const run_setting& how, void (*fail)(std::string_view)) {
      using own = strategy_memory<Resources, Bound>;
      const std::size_t buffer =
          std::is_same_v<Resources, multipool> ? 0 : buffer_bytes(what.facts());
      return run_lanes<own, global_heap>(what, how, buffer, fail,
                                         [](auto room) { return std::make_unique<own>(room); });
    };
  };
  constexpr std::type_identity<typename Family::base> base;
  if (strategy == "AS3" || strategy == "AS4") {
    return run_of(std::type_identity<monotonic>(),
                  std::type_identity<typename monotonic::outermost>());
  }
  if (strategy == "AS5" || strategy == "AS6") return run_of(std::type_identity<monotonic>(), base);
  if (strategy == "AS7" || strategy == "AS8") {
    return run_of(std::type_identity<multipool>(),
                  std::type_identity<typename multipool::outermost>());
  }
  if (strategy == "AS9" || strategy == "AS10") return run_of(std::type_identity<multipool>(), base);
  if (strategy == "AS11" || strategy == "AS12") {
    return run_of(std::type_identity<layered>(), std::type_identity<typename layered::outermost>());
  }
  if (strategy == "AS13" || strategy == "AS14") return run_of(std::type_identity<layered>(), base);
  if (strategy == "sync") {
    return [](const program_view& what, const run_setting& how, void (*fail)(std::string_view)) {
      using own = shared_memory<typename Family::base>;
      typename Family::synchronized pool;
      return run_lanes<own, global_heap>(what, how, 0, fail,
                                         [&](auto) { return std::make_unique<own>(pool); });
    };
  }
  if (strategy == "mutex") {
    return [](const program_view& what, const run_setting& how, void (*fail)(std::string_view)) {
      using own = locked_memory<Family>;
      lab::locked_pool<Family> pool;
      return run_lanes<own, global_heap>(what, how, 0, fail,
                                         [&](auto) { return std::make_unique<own>(pool); });
    };
  }
  return nullptr;
}

// Each in its own file, because they take long to compile.
run_function find_mallard_run(std::string_view strategy);
run_function find_std_run(std::string_view strategy);
run_function find_boost_run(std::string_view strategy);  // if Boost is available

}  // namespace mallard::replay::detail
