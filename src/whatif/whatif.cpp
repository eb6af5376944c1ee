#include "whatif/whatif.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "density/session.hpp"
#include "lab/measuring/interleave.hpp"
#include "lab/measuring/mallocs.hpp"
#include "lab/measuring/usage_error.hpp"
#include "process/preloadable.hpp"
#include "process/process.hpp"
#include "profile/record/program_check.hpp"
#include "whatif/comparison.hpp"
#include "whatif/contender.hpp"
#include "whatif/heap_sampler.hpp"
#include "whatif/own_library.hpp"
#include "whatif/pattern.hpp"
#include "whatif/program_runner.hpp"
#include "whatif/race.hpp"
#include "whatif/route_session.hpp"
#include "whatif/ways.hpp"

namespace mallard::whatif {
namespace {

using process::environment;

void check_program(const std::string& word) {
  const profile::program_check found = profile::check_program(word);
  const auto fail = [&](const char* why) { throw std::runtime_error(found.file + ' ' + why); };
  switch (found.what) {
    case profile::obstacle::none:
      return;
    case profile::obstacle::static_program:
      return fail("is linked statically: nothing can be preloaded, so nothing is routed");
    case profile::obstacle::other_libc:
      return fail("is built for musl, which cannot load libraries built for glibc");
    case profile::obstacle::privileged:
      return fail(
          "runs with the rights of another user: preloaded libraries are ignored, so nothing is "
          "routed");
    case profile::obstacle::own_malloc:
      return fail("contains its own malloc: calls of that cannot be routed");
    default:
      throw std::runtime_error(describe(found));
  }
}

// Throws lab::usage_error.
const lab::malloc_library& checked(const lab::malloc_library& one) {
  if (!one.file.empty() && !profile::defines_malloc(one.file.string())) {
    throw lab::usage_error("--malloc: " + one.file.string() + " has no malloc");
  }
  return one;
}

std::string how_it_ended(const run_figures& run) {
  if (run.error != 0) return std::generic_category().message(run.error);
  return process::describe_end(run.status);
}

constexpr const char* few_addresses = "the program has too few free addresses for routed blocks";

class experiment {
 public:
  explicit experiment(const whatif_options& options) : options_(options) {
    if (options.runner == nullptr) own_runner_.emplace(options.command, "", options.interrupted);
    check_program(options.command.front());
    parse();
    library_ = options.library.empty() ? find_own_library("libmallard-route.so") : options.library;
    session_ = std::make_unique<route_session>(conditions_, options.by_frame_pointers);
    if (rules_to_look_for().size() == 1) session_->know_frames();
    if (!options.variants.empty()) sampler_.emplace();
    hooked_ = {{"LD_PRELOAD", preload_of(library_)},
               {route::session_kind.variable, session_->path()}};
    contenders_.push_back({.name = "as it is", .set = {}});
    contenders_.push_back(
        {.name = "hook alone", .set = hooked_, .hooked = true, .is_control = true});
    const lab::malloc_list found = lab::find_mallocs(lab::own_program());
    for (std::size_t i = 0; i < options.variants.size(); ++i) {
      const std::string& malloc = options.variants[i].malloc;
      contenders_.push_back(
          {.name = options.variants[i].name,
           .set = malloc.empty() ? hooked_
                                 : hooked_on(checked(lab::find_malloc("--malloc", malloc, found))),
           .hooked = true,
           .routes = options.variants[i].routes,
           .rules = rules_[i]});
    }
    for (const lab::malloc_library& one :
         lab::choose_mallocs("--malloc", options.mallocs, found).found) {
      if (one.file.empty() && options.mallocs.front() == "all") continue;  // as it is
      contenders_.push_back({.name = one.name, .set = set_for(checked(one))});
    }
    add_ideal();
    first_control_ = contenders_.size();
    for (std::size_t i = 0; i < options.variants.size(); ++i) {
      find_control(i);
      const std::string& malloc = options.variants[i].malloc;
      if (malloc.empty()) continue;
      const lab::malloc_library library = lab::find_malloc("--malloc", malloc, found);
      contenders_[hook_alone + 1 + i].below = running_on(library);
    }
    if (!options.variants.empty() && !options.as_it_was) put_controls_on_own_malloc(found);
  }

  whatif_result run() {
    if (!first_runs()) return result();
    race racing(contenders_, first_control_, options_.seed, options_.time_budget);
    racing.leave_with_their_ways();
    if (options_.races) racing.leave_far_behind(seconds_passed());
    const auto over = [&] {
      return options_.time_budget > 0 &&
             seconds_passed() + racing.seconds_of_a_round() > options_.time_budget;
    };
    // Whole rounds: what is compared is what ran one after the other.
    const unsigned rounds = options_.as_it_was ? 0 : options_.repetitions;
    unsigned round = 0;
    bool goes_on = true;
    if (options_.races && first_runs_are_a_round()) {
      for (contender* const one : racing_now()) {
        if (one->in_turns && one->first_saved.empty()) {
          measure(*one);
        } else {
          one->count_first();
        }
      }
      goes_on = racing.goes_on(++round, seconds_passed());
    }
    for (; goes_on && round < rounds; ++round) {
      if (over()) break;
      if (!lab::interleave(contenders_, 1, options_.seed + round, [&](contender& one) {
            if (one.remark.empty() && !one.fell_behind) measure(one);
            return !is_interrupted();
          })) {
        for (contender& one : contenders_) {
          if (one.runs.size() > round) one.runs.resize(round);
          if (one.saved.size() > round) one.saved.resize(round);
        }
        break;
      }
      for (contender& one : contenders_) take_remark_of_control(one);
      goes_on = !options_.races || racing.goes_on(round + 1, seconds_passed());
    }
    count_first_runs();
    return result();
  }

 private:
  double seconds_passed() const {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began_;
    return passed.count();
  }

  void parse() {
    for (const whatif_variant& variant : options_.variants) {
      if (variant.routes.size() > route::most_routes) {
        throw std::runtime_error(fmt::format("more than {} routes at once", route::most_routes));
      }
      std::vector<route::route_rule>& rules = rules_.emplace_back();
      for (const whatif_route& one : variant.routes) rules.push_back(parse_route(one, conditions_));
    }
  }

  environment hooked_on(const lab::malloc_library& malloc) const {
    environment set = hooked_;
    set.front().second = preload_of(library_ + ':' + process::preloadable(malloc.file));
    return set;
  }

  // The hook alone is the control of the first variant, and of those that go the same way.
  void find_control(std::size_t variant) {
    const std::vector<route::route_rule>& rules = rules_[variant];
    const auto fits = [&](const contender& one) {
      return one.is_control && go_the_same_way(one.rules, rules);
    };
    if (contenders_[hook_alone].rules.empty()) contenders_[hook_alone].rules = rules;
    auto found = std::find_if(contenders_.begin(), contenders_.end(), fits);
    if (found == contenders_.end()) {
      contenders_.push_back({.name = "hook alone",
                             .set = hooked_,
                             .hooked = true,
                             .rules = rules,
                             .is_control = true});
      found = contenders_.end() - 1;
    }
    contenders_[hook_alone + 1 + variant].control =
        static_cast<std::size_t>(found - contenders_.begin());
  }

  // Blocks lie close together there, as those of resources do, and not where the program's malloc
  // puts them. So the hook meets as many cache misses as on the way to a resource, and its time is
  // the difference of two short ones: where the program's malloc makes it ten times as slow, its
  // runs differ by more than the hook takes.
  void put_controls_on_own_malloc(const lab::malloc_list& found) {
    lab::malloc_library own{"mallard", options_.own_malloc};
    for (const lab::malloc_library& one : found.found) {
      if (own.file.empty() && one.name == own.name) own.file = one.file;
    }
    if (own.file.empty()) return;
    const std::size_t below = running_on(own);
    for (contender& one : contenders_) {
      if (!one.is_control) continue;
      one.name = "hook alone on mallard";
      one.set = hooked_on(own);
      one.below = below;
    }
  }

  static environment set_for(const lab::malloc_library& malloc) {
    return {{"LD_PRELOAD", preload_of(process::preloadable(malloc.file))}};
  }

  // The program on that malloc, which is hidden if nobody asked for it.
  std::size_t running_on(const lab::malloc_library& malloc) {
    const environment set = set_for(malloc);
    const auto is_on_it = [&](const contender& one) { return one.set == set; };
    auto found = std::find_if(contenders_.begin(), contenders_.end(), is_on_it);
    if (found == contenders_.end()) {
      contenders_.push_back({.name = malloc.name, .set = set});
      found = contenders_.end() - 1;
    }
    return static_cast<std::size_t>(found - contenders_.begin());
  }

  // The program does not run on our malloc as it does on its own.
  void put_on_programs_malloc(contender& control) const {
    control.name = "hook alone";
    control.set = hooked_;
    control.below = as_it_is;
    control.remark.clear();
  }

  // Two, since none is the best for all programs; of one run little is told.
  void add_ideal() {
    if (!options_.with_ideal || options_.as_it_was) return;
    const std::string library = preload_of(find_own_library("libmallard-ideal.so"));
    for (const char* const how : {"bump", "reuse"}) {
      contenders_.push_back({.name = fmt::format("ideal, {}", how),
                             .set = {{"LD_PRELOAD", library}, {density::ideal_variable, how}},
                             .ideal = true});
    }
  }

  // All that are tried, so that the hook alone looks for each of them. Where those are too many,
  // one that fits where any of them may.
  std::vector<route::route_rule> rules_to_look_for() const {
    std::vector<route::route_rule> all;
    for (const std::vector<route::route_rule>& of_variant : rules_) {
      for (const route::route_rule& one : of_variant) {
        const auto is_same = [&](const route::route_rule& other) {
          return other.has_conditions_of(one);
        };
        if (std::none_of(all.begin(), all.end(), is_same)) all.push_back(one);
      }
    }
    if (all.size() <= route::most_routes) return all;
    route::route_rule any = all.front();
    for (const route::route_rule& one : all) {
      any.marks |= one.marks;
      any.without |= one.without;
      any.scopes &= one.scopes;
      any.smallest = std::min(any.smallest, one.smallest);
      any.largest = std::max(any.largest, one.largest);
    }
    return {any};
  }

  using purpose = route_session::purpose;

  // The purpose of its runs that count.
  static purpose purpose_of(const contender& one) {
    return one.is_control ? purpose::by_malloc : one.in_turns ? purpose::in_turns : purpose::counts;
  }

  run_figures run_once(contender& one, bool reads_output, purpose what, double longest = 0) {
    const bool sampled = sampler_ && one.hooked && what != purpose::names;
    if (one.hooked) session_->prepare(one.rules, what);
    const heap_looks before = sampled ? sampler_->looks() : heap_looks();
    const run_figures done =
        runner().run(sampled ? sampler_->beside(one.set) : one.set, reads_output, longest);
    if (done.error != 0) {
      throw std::runtime_error(options_.command.front() + ": " + how_it_ended(done));
    }
    if (one.hooked) one.of_routes = session_->outcomes(one.routes);
    if (sampled && what == purpose_of(one)) {
      const heap_looks after = sampler_->looks();
      one.looks.all += after.all - before.all;
      one.looks.in_heap += after.in_heap - before.in_heap;
    }
    return done;
  }

  program_runner& runner() { return options_.runner ? *options_.runner : *own_runner_; }

  bool is_interrupted() { return runner().was_interrupted(); }

  // One of each that does not count: files are read, addresses get their names, outputs are
  // compared, and survivors named. False: interrupted.
  bool first_runs() {
    contender& plain = contenders_[as_it_is];
    plain.first = options_.as_it_was ? *options_.as_it_was
                                     : run_once(plain, options_.check_output, purpose::counts);
    if (is_interrupted()) return false;
    plain.has_run = true;
    // The cheapest and the likeliest first. The hook may slow a program down so much that no time
    // is left for what needs none.
    std::vector<std::size_t> order;
    for (std::size_t i = hook_alone + 1; i < first_control_; ++i) order.push_back(i);
    const auto rank = [&](std::size_t i) {
      const contender& one = contenders_[i];
      return one.ideal ? 3 : is_pool(one) ? 2 : one.hooked ? 1 : 0;
    };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(rank(a), a) < std::pair(rank(b), b);
    });
    for (const std::size_t i : order) {
      if (contenders_[i].hooked && looked_seconds_ == 0 && !look_by_hook()) return false;
      if (rank(i) > 1 && !contenders_[i].has_run && !leaves_time_to_prove(contenders_[i])) {
        contenders_[i].remark = "no time was left after the proof of the others";
      } else if (!run_first(i)) {
        return false;
      }
    }
    return true;
  }

  static bool is_pool(const contender& one) { return one.hooked && !are_scoped(one.rules); }

  // Whether in a race, after a first run of it, there is time to run the best malloc and the best
  // arena so far often enough beside the program as it is.
  bool leaves_time_to_prove(const contender& one) const {
    if (!options_.races || options_.time_budget <= 0) return true;
    const contender& plain = contenders_[as_it_is];
    double malloc = 0, arena = 0, own = plain.first.seconds;
    for (const contender& other : contenders_) {
      if (!other.has_run || !other.remark.empty() || other.ideal || other.is_control) continue;
      if (&other == &plain || is_pool(other)) continue;
      double& best = other.hooked ? arena : malloc;
      best = best == 0 ? other.first.seconds : std::min(best, other.first.seconds);
    }
    if (one.hooked) own = looked_seconds_ * (contenders_[one.control].has_run ? 1 : 2);
    const double proof = enough_runs * (plain.first.seconds + malloc + arena);
    return seconds_passed() + own + proof <= options_.time_budget;
  }

  void sample_as_it_is() {
    contender& plain = contenders_[as_it_is];
    if (options_.looks) {
      plain.looks = *options_.looks;
      if (plain.looks.all == 0) sampler_.reset();
      return;
    }
    heap_sampler sampler;
    if (!sampler.go_on(runner(), {.runs = 3, .seconds = 2})) sampler_.reset();
    plain.looks = sampler.looks();
  }

  // Where the program's processor time is what counts: that is what turns take.
  void find_turns() {
    const run_figures& plain = contenders_[as_it_is].first;
    if (!is_by_processor_time({plain}) || runner().reads_metric()) return;
    for (contender& one : contenders_) {
      one.in_turns = one.hooked && !one.is_control && are_scoped(one.rules);
    }
    constexpr double runs_of_way = 2;
    const double all = runs_of_way * plain.seconds * static_cast<double>(contenders_.size());
    is_short_ = options_.as_it_was ||
                (options_.time_budget > 0 && seconds_passed() + all > options_.time_budget);
  }

  // Scoped routes tell whether their invocations are such that a pool of one thread can have their
  // blocks in turns, too. False: interrupted.
  bool follow_in_turns(contender& pool) {
    if (are_scoped(pool.rules) || !is_of_one_thread({contenders_[as_it_is].first})) return true;
    for (std::size_t i = hook_alone + 1; i < first_control_; ++i) {
      const contender& other = contenders_[i];
      if (!are_scoped(other.rules) || other.set != pool.set) continue;
      if (!have_same_conditions(other.rules, pool.rules)) continue;
      if (!run_first(i)) return false;
      pool.in_turns = other.in_turns && other.remark.empty();
      pool.hook_bytes = other.hook_bytes;
    }
    return true;
  }

  // Without a control nothing is known of one that is hooked, and of a control nothing without the
  // program on its malloc.
  void take_remark_of_control(contender& one) const {
    if (!one.hooked || !one.remark.empty()) return;
    const contender& control = one.is_control || one.in_turns ? one : contenders_[one.control];
    one.remark = control.remark.empty() ? contenders_[control.below].remark : control.remark;
  }

  // Before the first run of a way with the hook. False: interrupted.
  bool look_by_hook() {
    sample_as_it_is();
    if (!find_addresses()) return false;
    find_turns();
    return true;
  }

  // The run that finds addresses may take so much of the time that is left, since a way takes two
  // runs that are about as long.
  double longest_look() const {
    constexpr double runs = 3;
    constexpr double least = 0.1;
    if (options_.last_start <= 0) return 0;
    return std::max(least, (options_.last_start - seconds_passed()) / runs);
  }

  // No way through the hook runs.
  void leave_hooked(const run_figures& look) {
    const double times = look.seconds / contenders_[as_it_is].first.seconds;
    for (contender& one : contenders_) {
      if (!one.hooked) continue;
      one.has_run = true;
      one.remark = fmt::format(
          "there was no time left for it: with the hook, the program takes more than {:.2g} times "
          "as long",
          times);
    }
  }

  // Where the program allocates, of which no run knows yet.
  bool find_addresses() {
    const bool reads = options_.check_output;
    const run_figures& plain = contenders_[as_it_is].first;
    contender looks = contenders_[hook_alone];
    looks.set = hooked_;
    looks.rules = options_.names_survivors ? std::vector<route::route_rule>{} : rules_to_look_for();
    run_figures hooked;
    session_->mark_during([&] {
      hooked =
          run_once(looks, reads, options_.names_survivors ? purpose::names : purpose::by_malloc,
                   longest_look());
    });
    if (is_interrupted()) return false;
    looked_seconds_ = hooked.seconds;
    if (hooked.took_too_long) {
      leave_hooked(hooked);
      return true;
    }
    for (contender& one : contenders_) one.hook_bytes = more_bytes(hooked, plain);
    if (hooked.output != plain.output &&
        run_once(contenders_[as_it_is], reads, purpose::counts).output != plain.output) {
      if (is_interrupted()) return false;
      fail_changing();
    }
    if (session_->was_out_of_addresses()) {
      throw std::runtime_error(few_addresses + process::limit_note(route::agent_bytes));
    }
    session_->mark_addresses();
    if (options_.refuses_unmet) session_->check();
    return true;
  }

  // Those that it is compared with just before it. False: interrupted.
  bool run_first(std::size_t which) {
    contender& one = contenders_[which];
    if (one.has_run) return true;
    one.has_run = true;
    if (one.hooked && !one.is_control && !follow_in_turns(one)) return false;
    const bool needs_below = one.is_control || one.in_turns;
    if (one.hooked && !run_first(needs_below ? one.below : one.control)) return false;
    if (one.is_control && !contenders_[one.below].remark.empty()) put_on_programs_malloc(one);
    const double longer =
        one.hooked ? std::max(0.0, looked_seconds_ - contenders_[as_it_is].first.seconds) : 0;
    if (options_.last_start > 0 && seconds_passed() + longer > options_.last_start) {
      one.remark = "there was no time left for it";
      return true;
    }
    const contender* const named = names_of_survivors(which);
    one.names_first = named == &one;
    const bool turns = one.in_turns && is_short_ && !one.names_first;
    const bool is_whole = one.in_turns && !turns;  // its resource serves all
    const run_figures done = run_once(one, options_.check_output,
                                      one.names_first ? purpose::names
                                      : is_whole      ? purpose::counts
                                                      : purpose_of(one));
    if (is_interrupted()) return false;
    one.first = done;
    judge(one, contenders_[as_it_is].first, done);
    if (!one.hooked) return true;
    if (session_->was_out_of_addresses()) one.remark = few_addresses;
    session_->mark_addresses();
    if (one.is_control) {
      if (one.remark.empty() || one.below == as_it_is) return true;
      put_on_programs_malloc(one);
      one.has_run = false;
      return run_first(which);
    }
    if (one.remark.empty() && !was_met(one.of_routes)) one.remark = "no block matched a route";
    one.survivors =
        named == nullptr || named == &one ? session_->survivor_names() : named->survivors;
    if (turns) one.first_saved = session_->saved();
    if (one.remark.empty() && one.in_turns && are_scoped(one.rules)) {
      if (!fit_turns(done.processor_seconds, one.of_routes)) {
        one.in_turns = false;
        if (!run_first(one.control)) return false;
        one.has_run = !turns;
        if (turns) return run_first(which);
      } else if (options_.names_survivors && !is_short_ && !find_hook_bytes(one)) {
        return false;
      }
    }
    take_remark_of_control(one);
    // Its memory is that of a run in which its resource serves all, without names.
    if (one.in_turns && one.names_first && one.remark.empty()) {
      one.first = run_once(one, options_.check_output, purpose::counts);
      one.names_first = false;
      return !is_interrupted();
    }
    return true;
  }

  // By which the hook's memory makes its run larger, whoever serves, where the run that found the
  // addresses had names in it. False: interrupted.
  bool find_hook_bytes(contender& one) {
    contender hook = one;
    const run_figures hooked = run_once(hook, options_.check_output, purpose::by_malloc);
    one.hook_bytes = more_bytes(hooked, contenders_[one.below].first);
    return !is_interrupted();
  }

  static double more_bytes(const run_figures& of, const run_figures& than) {
    return std::max(
        0.0, static_cast<double>(of.resident_bytes) - static_cast<double>(than.resident_bytes));
  }

  // The one whose first run names the survivors of this one, since that takes long: itself, or an
  // earlier one with the same arenas; null: it has none.
  const contender* names_of_survivors(std::size_t which) const {
    const contender& one = contenders_[which];
    const auto has_arenas = [](const contender& of) {
      return std::any_of(of.rules.begin(), of.rules.end(),
                         [](const route::route_rule& rule) { return rule.is_scoped(); });
    };
    if (!options_.names_survivors || one.is_control || !has_arenas(one)) return nullptr;
    for (std::size_t i = hook_alone + 1; i < which; ++i) {
      const contender& other = contenders_[i];
      if (!other.is_control && other.remark.empty() && go_the_same_way(one.rules, other.rules)) {
        return &other;
      }
    }
    return &one;
  }

  // If the time allowed no further round, the first runs count; else those of ways that were behind
  // at once. One that named survivors took longer for that.
  void count_first_runs() {
    const bool is_only = contenders_[as_it_is].runs.empty();
    for (contender& one : contenders_) {
      if (!one.runs.empty() || !one.remark.empty() || !(is_only || one.fell_behind)) continue;
      one.count_first();
      one.only_named = one.names_first;
    }
  }

  std::vector<contender*> racing_now() {
    std::vector<contender*> out;
    for (contender& one : contenders_) {
      if (one.has_run && one.remark.empty() && !one.fell_behind) out.push_back(&one);
    }
    return out;
  }

  // They are, if what only first runs do takes no part of their time to speak of, and ways in turns
  // run in turns, too.
  bool first_runs_are_a_round() {
    constexpr double long_enough = 1;  // seconds
    const std::vector<contender*> all = racing_now();
    return contenders_[as_it_is].first.seconds >= long_enough &&
           std::none_of(all.begin(), all.end(),
                        [](const contender* one) { return one->names_first; });
  }

  void judge(contender& one, const run_figures& plain, const run_figures& done) const {
    if (!one.remark.empty()) return;
    if (done.status != plain.status) {
      one.remark =
          fmt::format("{}; unmodified, the program {}", how_it_ended(done), how_it_ended(plain));
    } else if (done.output != plain.output) {
      one.remark = "its output differs from the unmodified program's";
    }
  }

  [[noreturn]] static void fail_changing() {
    throw std::runtime_error(
        "the program's output differs from run to run, so it cannot be compared");
  }

  [[noreturn]] static void fail_ending(const run_figures& once, const run_figures& before) {
    throw std::runtime_error(
        fmt::format("the program {} once, and {} before, so it cannot be compared",
                    how_it_ended(once), how_it_ended(before)));
  }

  void measure(contender& one) {
    const run_figures done = run_once(one, options_.check_output, purpose_of(one));
    if (is_interrupted()) return;  // so was the program, where both are of one terminal
    const run_figures& plain = contenders_[as_it_is].first;
    if (&one == &contenders_[as_it_is]) {
      if (done.output != plain.output) fail_changing();
      if (done.status != plain.status) fail_ending(done, plain);
    }
    judge(one, plain, done);
    if (!one.remark.empty()) return;
    one.runs.push_back(done);
    if (one.in_turns) one.saved.push_back(session_->saved());
  }

  whatif_result result() const {
    whatif_result out;
    if (contenders_[as_it_is].runs.empty()) return out;  // interrupted
    const comparison figures(contenders_, options_.seed);
    out.status = contenders_[as_it_is].runs.front().status;
    out.by_processor_time = figures.is_by_processor_time();
    out.hook_seconds = std::max(0.0, figures.hook_seconds(contenders_[hook_alone]));
    for (std::size_t i = 0; i < first_control_; ++i) {
      // The hook alone, where no way needs it.
      if (!contenders_[i].has_run && contenders_[i].remark.empty()) continue;
      whatif_outcome one = figures.outcome(contenders_[i], !options_.as_it_was);
      if (!contenders_[i].ideal) {
        out.outcomes.push_back(std::move(one));
      } else if (one.remark.empty() && one.runs > 0 &&
                 (!out.ideal || one.median > out.ideal->median)) {
        out.ideal = std::move(one);
      }
    }
    return out;
  }

  const whatif_options& options_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::optional<program_runner> own_runner_;  // first: what it forks is to be a small process
  conditions conditions_;
  std::vector<std::vector<route::route_rule>> rules_;  // by variant
  std::unique_ptr<route_session> session_;
  std::optional<heap_sampler> sampler_;  // of runs with the hook
  std::string library_;                  // that routes
  environment hooked_ = {};              // with it alone
  std::vector<contender> contenders_;
  std::size_t first_control_ = 0;  // of contenders: from there on they are in no outcome
  double looked_seconds_ = 0;      // of a run with the hook, in which our malloc serves
  bool is_short_ = false;          // time: first runs are in turns, too
};

}  // namespace

whatif_result try_whatif(const whatif_options& options) {
  if (options.command.empty()) throw std::runtime_error("there is no command to run");
  if (options.repetitions == 0) throw std::runtime_error("at least one repetition is needed");
  return experiment(options).run();
}

}  // namespace mallard::whatif
