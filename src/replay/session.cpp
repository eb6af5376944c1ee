#include "replay/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.hpp"
#include "lab/bench/rivals.hpp"
#include "lab/measuring/mallocs.hpp"
#include "lab/measuring/peers.hpp"
#include "lab/measuring/usage_error.hpp"
#include "profile/trace/lacks.hpp"
#include "replay/measure.hpp"
#include "replay/think.hpp"

namespace mallard::replay {
namespace {

constexpr std::size_t largest_subsystems = 3;
constexpr std::uint64_t most_epoch_bytes = std::uint64_t{1} << 30;

std::vector<std::string> chosen_strategies(const replay_options& options) {
  if (!options.strategies.empty()) return options.strategies;
  std::vector<std::string> all;
  for (int i = 1; i <= 14; ++i) all.push_back(fmt::format("AS{}", i));
  for (const char* name : {"sync", "heap", "sync-heap", "adaptive"}) all.emplace_back(name);
  return all;
}

std::vector<std::string> chosen_peers(const replay_options& options) {
  std::vector<std::string> known;
  for (const lab::peer_version& one : lab::available_peers()) known.push_back(one.name);
  if (options.peers.empty()) return known;
  for (const std::string& name : options.peers) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      lab::unknown_value("--peers", name, fmt::format("{}", fmt::join(known, ", ")));
    }
  }
  return options.peers;
}

double median_of(const lab::cell_result* cell, const char* measure) {
  return cell && cell->ok() ? cell->median_of(measure) : std::nan("");
}

}  // namespace

replay_session::replay_session(profile::trace_reader& trace, const replay_options& options)
    : options_(options) {
  if (profile::lacks(trace.facts().process, "threads")) options_.order = replay_order::serial;
  decode_options how;
  how.grouping = options.grouping;
  how.one_lane = options_.order == replay_order::serial;
  how.think = options.think;
  trace_decoder decoder(trace, how);
  std::vector<std::string> names = options.subsystems;
  if (names.empty()) {
    names = decoder.subsystems();
    std::erase(names, "(other)");
    if (names.size() > largest_subsystems) names.resize(largest_subsystems);
    names.emplace(names.begin(), whole_program);
  }
  for (const std::string& name : names) {
    const program made = decoder.decode(name);
    if (made.facts.own_operations == 0) {
      if (options.leaves_out_empty) continue;
      throw replay_error(fmt::format("the subsystem '{}' has no operations to replay", name));
    }
    programs_.push_back(std::make_unique<shared_program>(made));
    subjects_.push_back({name, made.scope, made.facts, programs_.back()->file()});
  }
  if (options.think != think_time::none) {
    steps_per_ns_ = calibrate_thinking();
    const auto& caches = trace.facts().process.cache_bytes;
    pollution_bytes_ = caches.empty() ? std::size_t{8} << 20 : 2 * caches.back();
  }
  bench_.name = "replay";
  bench_.title = "Replay";
  bench_.measures = {{own_seconds, "s", "Time of the subsystem's operations"},
                     {speed_up, "ratio", "Times as fast as the global heap", lab::better::more},
                     {replay_memory, "B", "Growth of the resident set"},
                     {replay_seconds, "s", "Time of all operations"},
                     {loop_measure, "count", "ns an operation of the loop itself"}};
  bench_.kernel = [this](const lab::contender& who, const lab::place& at) {
    return task_of(who, at);
  };
  bench_.expected_seconds = [this](const lab::place& at) {
    const program_facts& facts = subject_at(at).facts;
    return 30e-9 * static_cast<double>(facts.operations + 4 * facts.peak_blocks) +
           1e-9 * static_cast<double>(facts.think_ns);
  };
  plan_.what = &bench_;
  plan_.repetitions = options.repetitions;
  plan_.seed = options.seed;
  plan_.program = options.program.empty() ? lab::own_program() : options.program;
  // If time is short, every candidate gets one figure before any gets a second.
  for (const touch_level touch : options.touch) {
    for (const subject& one : subjects_) {
      const lab::place at{{"subsystem", one.name}, {"touch", std::string(to_string(touch))}};
      plan_.places.push_back({at, at});
    }
  }
  choose_contenders();
}

replay_session::~replay_session() = default;

void replay_session::choose_contenders() {
  const auto add = [&](const std::string& strategy, std::string_view peer) {
    lab::contender one;
    one.strategy = strategy;
    one.peer = peer;
    one.heap = to_string(options_.heap);
    one.process = lab::process_kind::executed;
    plan_.contenders.push_back(one);
  };
  add("AS1", lab::global_peer);
  add(std::string(nothing_strategy), lab::global_peer);
  add(std::string(loop_strategy), lab::global_peer);
  const std::vector<std::string> strategies = chosen_strategies(options_);
  const std::vector<std::string> peers = chosen_peers(options_);
  for (const std::string& name : strategies) {
    if (name == "AS1") continue;
    bool known = false;
    if (find_run(name, no_library)) {
      known = true;
      add(name, lab::global_peer);
    }
    for (const std::string& peer : peers) {
      if (!find_run(name, peer)) continue;
      known = true;
      add(name, peer);
    }
    if (!known)
      lab::unknown_value("--strategies", name,
                         "AS1 to AS14, sync, mutex, heap, sync-heap, adaptive");
  }
  if (options_.mallocs.empty()) return;
  lab::malloc_list all =
      lab::choose_mallocs("--mallocs", options_.mallocs, lab::find_mallocs(plan_.program));
  missing_ = std::move(all.missing);
  for (const lab::malloc_library& one : all.found) {
    if (one.file.empty()) continue;  // the baseline
    add("AS1", lab::global_peer);
    plan_.contenders.back().malloc = one.name;
    plan_.contenders.back().library = one.file;
  }
}

lab::place replay_session::parameters() const {
  return {{"order", std::string(to_string(options_.order))},
          {"think", std::string(to_string(options_.think))}};
}

const replay_session::subject& replay_session::subject_at(const lab::place& at) const {
  return *std::find_if(subjects_.begin(), subjects_.end(),
                       [&](const subject& one) { return one.name == at.word("subsystem"); });
}

std::string replay_session::why_not(const lab::contender& who, const subject& of) const {
  if (!who.library.empty()) {
    return of.name == whole_program ? "" : "a malloc serves the whole program, not one subsystem";
  }
  if (who.strategy == loop_strategy && of.name != subjects_.front().name) return "measured once";
  const auto wanted = options_.strategies_of.find(of.name);
  if (wanted != options_.strategies_of.end() && who.strategy != "AS1" &&
      who.strategy != nothing_strategy && who.strategy != loop_strategy &&
      !wanted->second.contains(who.strategy)) {
    return std::string(not_wanted);
  }
  const program_facts& facts = of.facts;
  if (!is_shared(who.strategy) && facts.own_handed > 0) {
    return fmt::format("{} of {} blocks are freed by another thread: only for resources with locks",
                       facts.own_handed, facts.own_allocations);
  }
  if (is_monotonic(who.strategy) && !facts.is_bounded()) {
    return fmt::format("grows without bound: {} are allocated, of which at most {} live at once",
                       base::bytes_text(facts.own_bytes), base::bytes_text(facts.own_peak_bytes));
  }
  if (is_monotonic(who.strategy) && facts.largest_epoch_bytes > most_epoch_bytes) {
    return fmt::format("would need {}", base::bytes_text(facts.largest_epoch_bytes));
  }
  if (is_winked_out(who.strategy) && facts.epochs == 0) {
    return "there is no instant at which all its blocks are dead";
  }
  return "";
}

lab::task replay_session::task_of(const lab::contender& who, const lab::place& at) const {
  const subject& of = subject_at(at);
  if (!why_not(who, of).empty()) return {};
  replay_request what;
  what.file = of.file;
  what.strategy = who.strategy;
  what.library = who.peer == lab::global_peer ? no_library : std::string_view(who.peer);
  what.aged = who.heap == "aged";
  what.seed = options_.seed;
  what.how.steps_per_ns = steps_per_ns_;
  what.how.pollution_bytes = pollution_bytes_;
  play_setting& play = what.how.play;
  const std::string& touch = at.word("touch");
  for (const touch_level one :
       {touch_level::none, touch_level::first, touch_level::all, touch_level::walk}) {
    if (to_string(one) == touch) play.touch = one;
  }
  play.waits = options_.order != replay_order::free_run;
  play.thinks = options_.think != think_time::none && who.strategy != loop_strategy;
  play.winks = is_winked_out(who.strategy);
  return make_replay_task(what);
}

void replay_session::derive(std::vector<lab::cell_result>& cells) const {
  const auto find = [&](std::string_view strategy) -> const lab::cell_result* {
    const auto found = std::find_if(cells.begin(), cells.end(), [&](const auto& one) {
      return one.strategy == strategy && one.peer == lab::global_peer &&
             one.malloc == lab::system_malloc;
    });
    return found == cells.end() ? nullptr : &*found;
  };
  const double rest = median_of(find(nothing_strategy), replay_seconds);
  if (!std::isfinite(rest)) return;
  const auto net_of = [&](const lab::cell_result& cell) {
    std::vector<double> net;
    const lab::measure* const all = cell.find(replay_seconds);
    if (all) {
      for (const double seconds : all->samples) net.push_back(seconds - rest);
    }
    return net;
  };
  const lab::cell_result* const global = find("AS1");
  const std::vector<double> global_net = global ? net_of(*global) : std::vector<double>();
  std::map<const lab::cell_result*, std::vector<double>> ratios;
  for (const lab::cell_result& cell : cells) {
    const std::vector<double> net = net_of(cell);
    for (std::size_t i = 0; i < std::min(net.size(), global_net.size()); ++i) {
      // A negative time is noise.
      ratios[&cell].push_back(net[i] > 0 && global_net[i] > 0 ? global_net[i] / net[i] : 0);
    }
  }
  for (lab::cell_result& cell : cells) {
    if (!cell.ok()) continue;
    if (cell.strategy == loop_strategy) {
      const auto operations = static_cast<double>(subject_at(cell.at).facts.operations);
      std::vector<double> ns;
      for (const double seconds : cell.find(replay_seconds)->samples) {
        ns.push_back(seconds / operations * 1e9);
      }
      cell.measures[loop_measure] = lab::summarise("count", std::move(ns), options_.seed);
    } else if (cell.strategy != nothing_strategy) {
      std::vector<double> net = net_of(cell);
      std::vector<double>& own = ratios[&cell];
      const bool told = !own.empty() && std::find(own.begin(), own.end(), 0.0) == own.end();
      // Readers of results expect positive times.
      if (!net.empty() && *std::min_element(net.begin(), net.end()) > 0) {
        cell.measures[own_seconds] = lab::summarise("s", std::move(net), options_.seed);
      }
      if (told) cell.measures[speed_up] = lab::summarise("ratio", std::move(own), options_.seed);
    }
  }
}

std::vector<replay_outcome> replay_session::outcomes(
    const std::vector<lab::cell_result>& cells) const {
  const auto find = [&](const lab::contender& who, const lab::place& at) {
    const auto found = std::find_if(cells.begin(), cells.end(), [&](const auto& one) {
      return one.at == at && one.strategy == who.strategy && one.peer == who.peer &&
             one.malloc == who.malloc;
    });
    return found == cells.end() ? nullptr : &*found;
  };
  std::vector<replay_outcome> all;
  for (const lab::planned_place& where : plan_.places) {
    const subject& of = subject_at(where.key);
    const lab::cell_result* const global = find(plan_.contenders.front(), where.key);
    for (const lab::contender& who : plan_.contenders) {
      if (who.strategy == nothing_strategy || who.strategy == loop_strategy) continue;
      if (!who.library.empty() && of.name != whole_program) continue;
      replay_outcome one;
      one.subsystem = of.name;
      one.strategy = who.library.empty() ? lab::column_name(who.strategy, who.peer) : who.malloc;
      one.file = who.library.string();
      one.touch = where.key.word("touch");
      one.seconds_global = median_of(global, own_seconds);
      one.remark = why_not(who, of);
      const lab::cell_result* const cell = find(who, where.key);
      if (one.remark.empty() && !cell) one.remark = no_time_left;
      if (one.remark.empty() && !cell->ok()) one.remark = cell->error;
      if (one.remark.empty()) {
        if (const lab::measure* const ratio = cell->find(speed_up)) {
          one.low = ratio->ci_low;
          one.median = ratio->median;
          one.high = ratio->ci_high;
          one.repetitions = static_cast<unsigned>(ratio->samples.size());
          const double memory = median_of(cell, replay_memory) / median_of(global, replay_memory);
          one.memory = std::isfinite(memory) ? memory : 0;
        } else {
          one.remark = "its operations take too little time to tell";
        }
      }
      if (!std::isfinite(one.seconds_global)) one.seconds_global = 0;
      all.push_back(std::move(one));
    }
  }
  return all;
}

lab::bench_end run_replay(const replay_session& session, const lab::bench_plan& plan,
                          const std::vector<lab::cell_result>& finished,
                          const lab::bench_events& events) {
  // The cells of a place arrive together.
  std::vector<lab::cell_result> of_place;
  const auto pass_on = [&] {
    session.derive(of_place);
    for (const lab::cell_result& one : of_place) events.cell(one);
    of_place.clear();
  };
  lab::bench_events inner = events;
  inner.cell = [&](const lab::cell_result& cell) {
    if (!of_place.empty() && of_place.front().at != cell.at) pass_on();
    of_place.push_back(cell);
  };
  const lab::bench_end end = lab::run_bench(plan, finished, inner);
  pass_on();
  return end;
}

}  // namespace mallard::replay
