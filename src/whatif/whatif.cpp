#include "whatif/whatif.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "density/session.hpp"
#include "lab/measuring/interleave.hpp"
#include "lab/measuring/mallocs.hpp"
#include "lab/measuring/statistics.hpp"
#include "process/preloadable.hpp"
#include "process/process.hpp"
#include "profile/record/program_check.hpp"
#include "whatif/gain.hpp"
#include "whatif/own_library.hpp"
#include "whatif/pattern.hpp"
#include "whatif/program_runner.hpp"
#include "whatif/route_session.hpp"

namespace mallard::whatif {
namespace {

namespace fs = std::filesystem;
using process::environment;

// One variant under measurement.
struct contender {
  std::string name;
  environment set;
  bool hooked = false;
  std::vector<whatif_route> routes = {};
  std::vector<route::route_rule> rules = {};
  std::string remark = {};
  std::vector<run_figures> runs = {};
  std::vector<route_outcome> of_routes = {};
  bool fell_behind = false;
  bool ideal = false;  // an ideal malloc, and the bound of all others
  // Through the hook as those do whose `control` it is, but a malloc serves all blocks: by as much
  // as it is slower than `below`, the program on that malloc, they are slower than they would be.
  bool is_control = false;
  std::size_t control = 0;
  std::size_t below = 0;
};

constexpr std::size_t as_it_is = 0;
constexpr std::size_t hook_alone = 1;

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

std::string how_it_ended(const run_figures& run) {
  if (run.error != 0) return std::generic_category().message(run.error);
  return process::describe_end(run.status);
}

interval_of_runs interval(const std::vector<double>& values, std::uint64_t seed) {
  const lab::interval found = lab::bootstrap_median(values, seed);
  return {found.low, lab::median(values), found.high, values};
}

template <class Figure>
std::vector<double> each(const std::vector<run_figures>& runs, Figure figure) {
  std::vector<double> out;
  out.reserve(runs.size());
  for (const run_figures& one : runs) out.push_back(static_cast<double>(one.*figure));
  return out;
}

constexpr const char* few_addresses = "the program has too few free addresses for routed blocks";

bool was_met(const std::vector<route_outcome>& routes) {
  return std::any_of(routes.begin(), routes.end(), [](const route_outcome& one) {
    return one.blocks != 0 || one.passed_on != 0;
  });
}

// Blocks of the same conditions take as long to find, and arenas of a call as long to end.
bool go_the_same_way(const std::vector<route::route_rule>& some,
                     const std::vector<route::route_rule>& others) {
  return std::equal(some.begin(), some.end(), others.begin(), others.end(),
                    [](const route::route_rule& a, const route::route_rule& b) {
                      return a.has_conditions_of(b) && a.is_scoped() == b.is_scoped();
                    });
}

class experiment {
 public:
  explicit experiment(const whatif_options& options) : options_(options) {
    if (options.runner == nullptr) own_runner_.emplace(options.command, "", options.interrupted);
    check_program(options.command.front());
    parse();
    library_ = options.library.empty() ? find_own_library("libmallard-route.so") : options.library;
    session_ = std::make_unique<route_session>(conditions_, options.by_frame_pointers);
    if (rules_to_look_for().size() == 1) session_->know_frames();
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
           .set = malloc.empty() ? hooked_ : hooked_on(lab::find_malloc("--malloc", malloc, found)),
           .hooked = true,
           .routes = options.variants[i].routes,
           .rules = rules_[i]});
    }
    for (const lab::malloc_library& one :
         lab::choose_mallocs("--malloc", options.mallocs, found).found) {
      if (one.file.empty() && options.mallocs.front() == "all") continue;  // as it is
      contenders_.push_back(
          {.name = one.name, .set = {{"LD_PRELOAD", preload_of(process::preloadable(one.file))}}});
    }
    add_ideal();
    first_control_ = contenders_.size();
    for (std::size_t i = 0; i < options.variants.size(); ++i) find_control(i);
    if (!options.variants.empty() && !options.as_it_was) put_controls_on_own_malloc(found);
    has_run_.resize(contenders_.size());
  }

  whatif_result run() {
    if (!first_runs()) return result();
    if (options_.races) leave_far_behind();
    const auto over = [&] {
      return options_.time_budget > 0 &&
             seconds_passed() + seconds_of_a_round() > options_.time_budget;
    };
    // Whole rounds: what is compared is what ran one after the other.
    const unsigned rounds = options_.as_it_was ? 0 : options_.repetitions;
    for (unsigned round = 0; round < rounds; ++round) {
      if (over()) break;
      if (!lab::interleave(contenders_, 1, options_.seed + round, [&](contender& one) {
            if (one.remark.empty() && !one.fell_behind) measure(one);
            return !is_interrupted();
          })) {
        for (contender& one : contenders_) {
          if (one.runs.size() > round) one.runs.resize(round);
        }
        break;
      }
      for (contender& one : contenders_) take_remark_of_control(one);
      if (options_.races && !still_races(round + 1)) break;
    }
    count_the_only_runs();
    count_first_runs();
    return result();
  }

 private:
  double seconds_passed() const {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began_;
    return passed.count();
  }

  double seconds_of(std::size_t which) const {
    const std::vector<run_figures>& runs = contenders_[which].runs;
    return runs.empty() ? first_of_[which].seconds : lab::median(each(runs, &run_figures::seconds));
  }

  double seconds_of_a_round() const {
    double out = 0;
    for (std::size_t i = 0; i < contenders_.size(); ++i) {
      if (contenders_[i].remark.empty() && !contenders_[i].fell_behind) out += seconds_of(i);
    }
    return out;
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
    const environment set = {{"LD_PRELOAD", preload_of(process::preloadable(own.file))}};
    const auto is_on_it = [&](const contender& one) { return one.set == set; };
    auto below = std::find_if(contenders_.begin(), contenders_.end(), is_on_it);
    if (below == contenders_.end()) {
      contenders_.push_back({.name = own.name, .set = set});
      below = contenders_.end() - 1;
    }
    for (contender& one : contenders_) {
      if (!one.is_control) continue;
      one.name = "hook alone on mallard";
      one.set = hooked_on(own);
      one.below = static_cast<std::size_t>(below - contenders_.begin());
    }
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

  void prepare(const contender& one, bool names) {
    using purpose = route_session::purpose;
    session_->prepare(one.rules, names            ? purpose::names
                                 : one.is_control ? purpose::by_malloc
                                                  : purpose::counts);
  }

  run_figures run_once(contender& one, bool reads_output, bool names) {
    if (one.hooked) prepare(one, names);
    const run_figures done = runner().run(one.set, reads_output);
    if (done.error != 0) {
      throw std::runtime_error(options_.command.front() + ": " + how_it_ended(done));
    }
    if (one.hooked) one.of_routes = session_->outcomes(one.routes);
    return done;
  }

  program_runner& runner() { return options_.runner ? *options_.runner : *own_runner_; }

  bool is_interrupted() { return runner().was_interrupted(); }

  // One of each that does not count: files are read, addresses get their names, outputs are
  // compared, and survivors named. False: interrupted.
  bool first_runs() {
    first_of_.resize(contenders_.size());
    first_of_[as_it_is] = options_.as_it_was
                              ? *options_.as_it_was
                              : run_once(contenders_[as_it_is], options_.check_output, false);
    if (is_interrupted()) return false;
    const bool is_hooked = !options_.variants.empty();
    if (is_hooked && !find_addresses()) return false;
    has_run_[as_it_is] = true;
    if (options_.as_it_was && !is_hooked) {
      first_of_[hook_alone] = first_of_[as_it_is];  // nothing is hooked
      has_run_[hook_alone] = true;
    }
    for (std::size_t i = hook_alone; i < first_control_; ++i) {
      if (!run_first(i)) return false;
    }
    return true;
  }

  // Without a control nothing is known of one that is hooked.
  void take_remark_of_control(contender& one) const {
    if (one.hooked && !one.is_control && one.remark.empty()) {
      one.remark = contenders_[one.control].remark;
    }
  }

  // Where the program allocates, of which no run knows yet.
  bool find_addresses() {
    const bool reads = options_.check_output;
    const run_figures& plain = first_of_[as_it_is];
    contender looks = contenders_[hook_alone];
    looks.set = hooked_;
    looks.rules = options_.names_survivors ? std::vector<route::route_rule>{} : rules_to_look_for();
    const run_figures hooked = run_once(looks, reads, options_.names_survivors);
    if (is_interrupted()) return false;
    if (hooked.output != plain.output &&
        run_once(contenders_[as_it_is], reads, false).output != plain.output) {
      if (is_interrupted()) return false;
      fail_changing();
    }
    if (session_->was_out_of_addresses()) {
      throw std::runtime_error(few_addresses + process::limit_note(route::agent_bytes));
    }
    session_->mark_addresses();
    session_->check();
    return true;
  }

  // Those that it is compared with just before it. False: interrupted.
  bool run_first(std::size_t which) {
    contender& one = contenders_[which];
    if (has_run_[which]) return true;
    has_run_[which] = true;
    if (one.hooked && !run_first(one.is_control ? one.below : one.control)) return false;
    if (one.is_control && !contenders_[one.below].remark.empty()) put_on_programs_malloc(one);
    if (options_.last_start > 0 && seconds_passed() > options_.last_start) {
      one.remark = "there was no time left for it";
      return true;
    }
    const contender* const named = names_of_survivors(which);
    const run_figures done = run_once(one, options_.check_output, named == &one);
    if (is_interrupted()) return false;
    first_of_[which] = done;
    judge(one, first_of_[as_it_is], done);
    if (!one.hooked) return true;
    if (session_->was_out_of_addresses()) one.remark = few_addresses;
    session_->mark_addresses();
    if (one.is_control) {
      if (one.remark.empty() || one.below == as_it_is) return true;
      put_on_programs_malloc(one);
      has_run_[which] = false;
      return run_first(which);
    }
    if (one.remark.empty() && !was_met(one.of_routes)) one.remark = "no block matched a route";
    take_remark_of_control(one);
    names_.resize(contenders_.size());
    names_[which] = named == nullptr || named == &one
                        ? session_->survivor_names()
                        : names_[static_cast<std::size_t>(named - contenders_.data())];
    return true;
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

  // The bound is that of the faster one, and known when others are.
  void rest_ideal(unsigned rounds, double run_figures::* time) {
    constexpr unsigned enough_of_both = 2, enough = 7;
    contender* best = nullptr;
    for (contender& one : contenders_) {
      if (!one.ideal || one.fell_behind || !one.remark.empty() || one.runs.empty()) continue;
      one.fell_behind = rounds >= enough;
      if (rounds < enough_of_both) continue;
      if (best == nullptr) {
        best = &one;
        continue;
      }
      const bool slower = lab::median(each(one.runs, time)) > lab::median(each(best->runs, time));
      (slower ? one : *best).fell_behind = true;
      if (!slower) best = &one;
    }
  }

  // By the first runs, which are no round: files and caches were cold in some of them.
  void leave_far_behind() {
    const auto each_has = [&](const std::vector<run_figures>& first) {
      for (std::size_t i = 0; i < contenders_.size(); ++i) {
        contenders_[i].runs = first.empty() ? first : std::vector{first[i]};
      }
    };
    each_has(first_of_);
    still_races(0);
    each_has({});
  }

  struct standing {
    contender* who;
    double gain;  // in the median; 1: it is not known
    double may_gain;
  };

  // After so many rounds. Those stay whose gain may be the best: it reaches the least that the
  // leader gained. The fewer the rounds, the more a way has to be behind to leave. Of what is
  // routed a few runs tell little: much is taken off. The margins are what runs of the same program
  // differ on a virtual machine whose host slows it by a half for a while.
  bool still_races(unsigned rounds) {
    constexpr unsigned enough = 7;
    constexpr std::array margins = {1.6, 1.4, 1.2, 1.05, 1.02, 1.02, 1.02, 1.0};
    constexpr std::array of_routed = {100.0, 3.0, 2.0, 1.3, 1.1, 1.05, 1.02, 1.0};
    static_assert(margins.size() == enough + 1 && of_routed.size() == enough + 1);
    const unsigned at = std::min(rounds, enough);
    const auto time = figure();
    const std::vector<double> base = each(contenders_[as_it_is].runs, time);
    std::vector<standing> all;
    double to_reach = 1;  // that of the program as it is
    unsigned left = 0;
    contender* leader = nullptr;  // the best in the median, if that is about the program's own
    double leader_gain = 0.95;
    bool is_decided = true;  // all that gains in the median does so for sure
    for (contender& one : std::span(contenders_).first(first_control_).subspan(hook_alone + 1)) {
      if (one.ideal || one.fell_behind || !one.remark.empty()) continue;
      ++left;
      const auto gain = gain_of(rounds_of(one, base, time), options_.seed);
      const double margin = one.hooked ? of_routed[at] : margins[at];
      // The more is taken off, the more of what is left is noise; and too little to tell is not
      // behind.
      const double times_the_rest =
          gain ? times_what_is_left(one, gain->median, base, time) : enough;
      const bool tells = !one.hooked || rounds >= std::min<double>(enough, 2 * times_the_rest);
      const double may_gain = gain ? gain->high * margin : 0;
      all.push_back({&one, gain ? gain->median : 1,
                     tells ? may_gain : std::numeric_limits<double>::infinity()});
      if (!tells) continue;
      if (gain && gain->median > leader_gain) {
        leader = &one;
        leader_gain = gain->median;
      }
      constexpr double of_interest = 1.03;
      if (gain && gain->median >= of_interest && gain->low <= 1) is_decided = false;
      if (gain) to_reach = std::max(to_reach, gain->low / margin);
    }
    rest_ideal(rounds, time);
    for (const standing& one : all) {
      one.who->fell_behind = one.may_gain < to_reach;
      left -= one.who->fell_behind;
    }
    // The verdict is about the leader.
    if (leader != nullptr && leader->fell_behind && rounds < enough_runs) {
      leader->fell_behind = false;
      ++left;
    }
    leave_for_want_of_time(std::move(all), rounds);
    leave_with_their_ways();
    return left > 1 || (left == 1 && (rounds < enough || !is_decided));
  }

  // Where the time would be over before the best had runs enough to be proved, those that gain
  // least leave. The best malloc and the best resource stay: few runs do not tell which of them is
  // better. After two runs or fewer, what is close to the best of its kind stays, too.
  void leave_for_want_of_time(std::vector<standing> all, unsigned rounds) {
    constexpr unsigned few = 2;
    constexpr double close = 1.25;
    if (options_.time_budget <= 0 || rounds >= enough_runs) return;
    const auto seconds = [](const contender& one) {
      if (one.fell_behind || one.runs.empty()) return 0.0;
      return lab::median(each(one.runs, &run_figures::seconds));
    };
    double of_a_round = (options_.time_budget - seconds_passed()) / (enough_runs - rounds);
    // The malloc below the controls runs as long as a resource does.
    std::vector<bool> is_below(contenders_.size());
    for (const standing& one : all) {
      if (one.who->hooked && !one.who->fell_behind) {
        is_below[contenders_[one.who->control].below] = true;
      }
    }
    is_below[as_it_is] = true;
    for (std::size_t i = 0; i < contenders_.size(); ++i) {
      if (contenders_[i].ideal || is_below[i]) of_a_round -= seconds(contenders_[i]);
    }
    std::erase_if(all, [](const standing& one) { return one.who->fell_behind; });
    // A way takes its share of its control's time.
    const auto share_of_control = [&](const contender& of) {
      const auto sharing = std::count_if(all.begin(), all.end(), [&](const standing& other) {
        return other.who->control == of.control;
      });
      return of.hooked ? seconds(contenders_[of.control]) / static_cast<double>(sharing) : 0.0;
    };
    std::array<double, 2> best{};  // of mallocs, of resources
    for (const standing& one : all) {
      best[one.who->hooked] = std::max(best[one.who->hooked], one.gain);
    }
    std::vector<racer> field;
    for (const standing& one : all) {
      const bool runs_anyway = is_below[static_cast<std::size_t>(one.who - contenders_.data())];
      field.push_back({one.gain, runs_anyway ? 0 : seconds(*one.who) + share_of_control(*one.who),
                       one.gain * (rounds < few ? close : 1) >= best[one.who->hooked]});
    }
    for (const std::size_t i : leaving(field, of_a_round)) all[i].who->fell_behind = true;
  }

  void leave_with_their_ways() {
    std::vector<bool> is_needed(contenders_.size());
    const auto need = [&](bool controls, std::size_t contender::* what) {
      for (const contender& one : contenders_) {
        const bool runs = one.remark.empty() && !one.fell_behind;
        if (one.hooked && one.is_control == controls && runs) is_needed[one.*what] = true;
      }
    };
    need(false, &contender::control);
    for (std::size_t i = 0; i < contenders_.size(); ++i) {
      if (contenders_[i].is_control) contenders_[i].fell_behind = !is_needed[i];
    }
    need(true, &contender::below);
    for (std::size_t i = hook_alone; i < contenders_.size(); ++i) {
      if (is_needed[i]) contenders_[i].fell_behind = false;
      if (is_hidden_malloc(i)) contenders_[i].fell_behind = !is_needed[i];
    }
  }

  bool is_hidden_malloc(std::size_t which) const {
    return which >= first_control_ && !contenders_[which].is_control;
  }

  // If the time allowed no further round, the first runs count.
  void count_first_runs() {
    if (!contenders_[as_it_is].runs.empty()) return;
    for (std::size_t i = 0; i < contenders_.size(); ++i) {
      if (contenders_[i].remark.empty()) contenders_[i].runs = {first_of_[i]};
    }
  }

  // That of a way that was behind at once.
  void count_the_only_runs() {
    if (contenders_[as_it_is].runs.empty()) return;
    for (std::size_t i = hook_alone; i < contenders_.size(); ++i) {
      contender& one = contenders_[i];
      if (one.fell_behind && one.runs.empty() && one.remark.empty()) one.runs = {first_of_[i]};
    }
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

  void measure(contender& one) {
    const run_figures done = run_once(one, options_.check_output, false);
    if (is_interrupted()) return;  // so was the program, where both are of one terminal
    const run_figures& plain = first_of_[as_it_is];
    if (&one == &contenders_[as_it_is] && done.output != plain.output) fail_changing();
    judge(one, plain, done);
    if (one.remark.empty()) one.runs.push_back(done);
  }

  // Processor time where one thread does all the work, or others work on the machine: it is
  // disturbed less.
  double run_figures::* figure() const {
    const std::vector<run_figures>& runs = contenders_[as_it_is].runs;
    const double busy = lab::median(each(runs, &run_figures::processor_seconds));
    const double passed = lab::median(each(runs, &run_figures::seconds));
    const double others = lab::median(each(runs, &run_figures::others_seconds));
    constexpr double little = 0.1;  // of one processor
    const bool alone = others <= little * passed;
    return busy <= 1.1 * passed || !alone ? &run_figures::processor_seconds : &run_figures::seconds;
  }

  whatif_result result() const {
    whatif_result out;
    const contender& plain = contenders_[as_it_is];
    if (plain.runs.empty()) return out;  // interrupted
    const auto time = figure();
    out.by_processor_time = time == &run_figures::processor_seconds;
    const std::vector<double> base = each(plain.runs, time);
    if (!contenders_[hook_alone].runs.empty()) {
      out.hook_seconds = std::max(0.0, hook_time(contenders_[hook_alone], time));
    }
    for (std::size_t i = 0; i < first_control_; ++i) {
      whatif_outcome one = outcome_of(i, each(contenders_[contenders_[i].below].runs, time), time);
      if (!contenders_[i].ideal) {
        out.outcomes.push_back(std::move(one));
      } else if (one.remark.empty() && one.runs > 0 &&
                 (!out.ideal || one.median > out.ideal->median)) {
        out.ideal = std::move(one);
      }
    }
    return out;
  }

  // Costs that a program written with the resources would not have.
  struct taken_off {
    double seconds = 0;
    double error = 0;
  };

  // By how much the control is slower. It is a difference of medians: that of two runs is more
  // noise than difference.
  double hook_time(const contender& control, double run_figures::* time) const {
    std::vector<double> hooked = each(control.runs, time);
    std::vector<double> without = each(contenders_[control.below].runs, time);
    // In a race it may have ended before the others.
    const std::size_t rounds = std::min(hooked.size(), without.size());
    if (rounds == 0) return 0;
    hooked.resize(rounds);
    without.resize(rounds);
    return lab::median(hooked) - lab::median(without);
  }

  // More in a round in which all is slower.
  taken_off way(const contender& one, std::size_t round, const std::vector<double>& base,
                double run_figures::* time) const {
    if (one.routes.empty()) return {};
    const double takes = hook_time(contenders_[one.control], time);
    const double usual = lab::median(base);
    const double slower = usual > 0 ? base[round] / usual : 1;
    constexpr double error = 0.1;
    return {slower * takes, slower * error * std::max(0.0, takes)};
  }

  // How many times as long the runs are as what is left of them.
  static double times_what_is_left(const contender& one, double gain,
                                   const std::vector<double>& base, double run_figures::* time) {
    return lab::median(each(one.runs, time)) * gain / lab::median(base);
  }

  std::vector<round_times> rounds_of(const contender& one, const std::vector<double>& base,
                                     double run_figures::* time) const {
    const std::vector<double> mine = each(one.runs, time);
    std::vector<round_times> out;
    for (std::size_t i = 0; i < std::min(mine.size(), base.size()); ++i) {
      const taken_off off = way(one, i, base, time);
      out.push_back({base[i], mine[i], off.seconds, off.error});
    }
    return out;
  }

  whatif_outcome outcome_of(std::size_t which, const std::vector<double>& base,
                            double run_figures::* time) const {
    const contender& one = contenders_[which];
    whatif_outcome out{.variant = one.name, .remark = one.remark, .fell_behind = one.fell_behind};
    out.routes = one.of_routes;
    if (which < names_.size() && !names_[which].empty()) {
      for (std::size_t i = 0; i < out.routes.size(); ++i) {
        out.routes[i].survivor_names = names_[which][i];
      }
    }
    if (one.runs.empty() || !one.remark.empty()) return out;
    out.runs = static_cast<unsigned>(one.runs.size());
    out.seconds = interval(each(one.runs, &run_figures::seconds), options_.seed);
    out.processor_seconds =
        interval(each(one.runs, &run_figures::processor_seconds), options_.seed);
    out.resident_bytes = interval(each(one.runs, &run_figures::resident_bytes), options_.seed);
    out.page_faults = interval(each(one.runs, &run_figures::page_faults), options_.seed);
    if (auto gain = gain_of(rounds_of(one, base, time), options_.seed)) {
      out.low = gain->low;
      out.median = gain->median;
      out.high = gain->high;
      out.gains = std::move(gain->samples);
    }
    // The more of its time is subtracted, the more runs it takes to measure the rest.
    const double runs_to_tell =
        std::min<double>(enough_runs, times_what_is_left(one, out.median, base, time));
    const bool is_routed = !one.routes.empty() && !options_.as_it_was;
    if (out.gains.empty() || (is_routed && out.runs < runs_to_tell)) {
      out.gains.clear();
      out.low = out.median = out.high = 0;
      out.remark =
          "the hook and the calls of the resource take too much of its time to measure the rest";
      if (out.runs < enough_runs) {
        out.remark += out.runs == 1 ? " in one run" : fmt::format(" in {} runs", out.runs);
      }
    }
    out.metric = metric_of(one);
    // The hook's own memory is no part of a program that was written with the resources.
    const auto resident = [](const contender& of) {
      return of.runs.empty() ? 0 : lab::median(each(of.runs, &run_figures::resident_bytes));
    };
    double hooks = 0;
    if (const contender& control = contenders_[one.control]; !one.routes.empty()) {
      hooks = std::max(0.0, resident(control) - resident(contenders_[control.below]));
    }
    const double usual = resident(contenders_[one.below]);
    if (usual > 0) out.memory = std::max(0.0, resident(one) - hooks) / usual;
    return out;
  }

  std::optional<metric_of_runs> metric_of(const contender& one) const {
    const std::vector<run_figures>& plain = contenders_[one.below].runs;
    std::vector<double> values, shares;
    for (std::size_t i = 0; i < one.runs.size(); ++i) {
      const double value = one.runs[i].metric;
      if (!std::isfinite(value)) continue;
      values.push_back(value);
      if (i >= plain.size()) continue;
      const double usual = plain[i].metric * metric_by_hook(one, i);
      if (usual > 0) shares.push_back(value / usual);
    }
    if (values.empty() || shares.empty()) return std::nullopt;
    return metric_of_runs{interval(values, options_.seed), interval(shares, options_.seed)};
  }

  // Times as large as it would be without the hook.
  double metric_by_hook(const contender& one, std::size_t round) const {
    const contender& control = contenders_[one.control];
    const std::vector<run_figures>& without = contenders_[control.below].runs;
    const std::size_t both = std::min(control.runs.size(), without.size());
    if (one.routes.empty() || round >= both) return 1;
    const double times = control.runs[round].metric / without[round].metric;
    return std::isfinite(times) && times > 0 ? times : 1;
  }

  const whatif_options& options_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::optional<program_runner> own_runner_;  // first: what it forks is to be a small process
  conditions conditions_;
  std::vector<std::vector<route::route_rule>> rules_;  // by variant
  std::unique_ptr<route_session> session_;
  std::string library_;      // that routes
  environment hooked_ = {};  // with it alone
  std::vector<contender> contenders_;
  std::vector<bool> has_run_;      // for the first time
  std::size_t first_control_ = 0;  // of contenders: from there on they are in no outcome
  std::vector<std::vector<std::vector<std::string>>>
      names_;                          // of survivors, by contender and route
  std::vector<run_figures> first_of_;  // by contender
};

}  // namespace

whatif_result try_whatif(const whatif_options& options) {
  if (options.command.empty()) throw std::runtime_error("there is no command to run");
  if (options.repetitions == 0) throw std::runtime_error("at least one repetition is needed");
  return experiment(options).run();
}

}  // namespace mallard::whatif
