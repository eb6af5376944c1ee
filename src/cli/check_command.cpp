// mallard check
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/document.hpp"
#include "cli/interrupt.hpp"
#include "cli/newest_trace.hpp"
#include "cli/output_file.hpp"
#include "cli/profile_text.hpp"
#include "cli/usage_error.hpp"
#include "profile/budget/budget.hpp"
#include "profile/record/program_check.hpp"
#include "profile/result_json.hpp"
#include "profile/trace/lacks.hpp"
#include "whatif/recorded_run.hpp"

namespace mallard::cli {
namespace {

using json = nlohmann::ordered_json;
using profile::budget_finding;

struct check_options {
  std::vector<std::string> words;  // a trace, or a command
  std::string budget;
  bool annotations = false;
  std::string keep;  // where the trace goes
  bool json = false;
  bool update = false;
};

std::string amount(const profile::budget_rule& rule, std::uint64_t value) {
  return profile::is_bytes(rule.what) ? bytes_text(value) : fmt::format("{}", value);
}

// "heap.budget:4: peak <= 32 MiB: it is 40.1 MiB, most of it of parse  parse.cpp:12".
std::string describe(const check_options& options, const budget_finding& one) {
  std::string text = fmt::format("{}:{}: {}: ", options.budget, one.rule.line, one.rule.text);
  if (one.is_inlined) {
    return text + "it is inlined into its callers, so its calls cannot be told apart";
  }
  if (one.too_many != 0) {
    return text + fmt::format("{} functions match, too many to follow their calls", one.too_many);
  }
  if (const auto& bounds = one.doubts ? one.doubts : one.unclear) {
    const bool is_of_frees = one.rule.what == profile::budget_measure::survivors;
    text += one.doubts || is_of_frees ? "it is" : "its calls cannot be told apart: one takes";
    text += " at least " + amount(one.rule, bounds->least);
    if (bounds->most != UINT64_MAX) text += ", at most " + amount(one.rule, bounds->most);
    return text + (one.doubts
                       ? "; the recording lacks stacks, or their outer frames, that would tell"
                   : is_of_frees ? "; other threads freed blocks, perhaps before the call had ended"
                                 : "; MALLARD_SCOPE in the source tells them apart");
  }
  if (!one.may_be_inlined_in.empty()) {
    return text + fmt::format(
                      "it is on no stack, but may be inlined there: {} has it, without debug "
                      "information (-g), which would tell",
                      fitted(one.may_be_inlined_in, one.may_be_inlined_in.size()));
  }
  if (!one.found) {
    text += "there is no such function";
    if (!one.nearest.empty()) {
      text += ": is it ";
      for (std::size_t i = 0; i < one.nearest.size(); ++i) {
        text += (i == 0                        ? ""
                 : i + 1 == one.nearest.size() ? " or "
                                               : ", ") +
                fitted(one.nearest[i], 60);
      }
      text += '?';
    }
    return text;
  }
  std::string found = amount(one.rule, *one.found);
  // Rounded, it would look as if it were within the limit.
  if (found == amount(one.rule, one.rule.limit + one.rule.tolerance)) {
    found = fmt::format("{} bytes", *one.found);
  }
  text += (one.exact ? "it is " : "it is at least ") + found;
  if (one.where) {
    text +=
        ", most of it from " + place_text(one.where->function, one.where->file, one.where->line);
  }
  return text;
}

// In a workflow's annotations a per cent sign and ends of lines are written so, and in properties
// colons and commas, too:
// https://docs.github.com/actions/reference/workflow-commands-for-github-actions
std::string escaped(const std::string& text, bool is_property) {
  std::string out;
  for (const char c : text) {
    const bool special =
        c == '%' || c == '\n' || c == '\r' || (is_property && (c == ':' || c == ','));
    out += special ? fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)))
                   : std::string(1, c);
  }
  return out;
}

// Annotations want paths from the repository's root, where checks are run.
std::string in_repository(const std::string& file) {
  namespace fs = std::filesystem;
  const char* const root = std::getenv("GITHUB_WORKSPACE");
  std::error_code ignored;
  const fs::path here = root != nullptr ? fs::path(root) : fs::current_path(ignored);
  const std::string from_here =
      fs::path(file).lexically_normal().lexically_relative(here.lexically_normal()).string();
  return from_here.empty() || from_here.starts_with("..") ? std::string() : from_here;
}

void print_annotation(const check_options& options, const budget_finding& one) {
  std::string file, line;
  if (one.where && !one.where->file.empty()) {
    file = in_repository(one.where->file);
    line = fmt::format("{}", one.where->line);
  }
  if (file.empty()) {  // the rule itself
    std::error_code ignored;
    file = in_repository(std::filesystem::absolute(options.budget, ignored).string());
    if (file.empty()) file = options.budget;
    line = fmt::format("{}", one.rule.line);
  }
  fmt::print("::error file={},line={},title={}::{}\n", escaped(file, true), line,
             escaped("heap budget: " + one.rule.text, true),
             escaped(describe(options, one), false));
}

void print_json(const std::string& trace, const std::vector<budget_finding>& findings) {
  json out = {{"version", 1},
              {"trace", trace},
              {"kept", std::all_of(findings.begin(), findings.end(),
                                   [](const budget_finding& one) { return one.kept(); })},
              {"rules", json::array()}};
  for (const budget_finding& one : findings) {
    json rule = {{"line", one.rule.line},
                 {"rule", one.rule.text},
                 {"measure", profile::to_string(one.rule.what)},
                 {"pattern", one.rule.pattern},
                 {"per_call", one.rule.per_call},
                 {"limit", one.rule.limit},
                 {"tolerance", one.rule.tolerance},
                 {"found", one.found ? json(*one.found) : json(nullptr)},
                 {"kept", one.kept()}};
    if (one.where) {
      rule["where"] = {
          {"function", one.where->function}, {"file", one.where->file}, {"line", one.where->line}};
    }
    if (!one.exact) rule["exact"] = false;
    if (one.doubts) {
      rule["lacks_stacks"] = {{"least", one.doubts->least}, {"most", one.doubts->most}};
    } else if (one.unclear) {
      rule["unclear"] = {{"least", one.unclear->least}, {"most", one.unclear->most}};
    } else if (!one.found) {
      rule["nearest"] = one.nearest;
    }
    if (one.is_inlined) rule["inlined"] = true;
    if (!one.may_be_inlined_in.empty()) rule["may_be_inlined"] = true;
    if (one.too_many != 0) rule["too_many"] = one.too_many;
    out["rules"].push_back(rule);
  }
  fmt::print("{}\n", out.dump(2, ' ', false, json::error_handler_t::replace));
}

using rule_list = std::vector<profile::budget_rule>;

// Once, before anything is run: the budget may be a pipe.
rule_list rules_of(const check_options& options) {
  std::error_code ignored;
  if (options.update && std::filesystem::exists(options.budget, ignored) &&
      !std::filesystem::is_regular_file(options.budget, ignored)) {
    throw usage_error(fmt::format("--update: {} is not a regular file, so it cannot be rewritten",
                                  options.budget));
  }
  try {
    return profile::read_budget(options.budget);
  } catch (const std::runtime_error& problem) {
    throw usage_error(problem.what());
  }
}

// How the trace came about, where it is not only a file.
struct checked_run {
  std::string trace;       // its name for others; empty where it is gone afterwards
  std::string program;     // the file, where the trace is empty
  bool may_update = true;  // it ended well
  bool interrupted = false;
};

int check_trace(const check_options& options, const rule_list& rules, const std::string& path,
                const checked_run& run) {
  const auto opened = open_trace(path);
  profile::trace_reader& trace = *opened;
  const std::string name = run.trace == path ? path : "the recording";
  const bool by_function =
      std::any_of(rules.begin(), rules.end(), [](const auto& one) { return !one.pattern.empty(); });
  if (by_function && trace.stacks().size() <= 1 && trace.event_count() != 0) {
    throw std::runtime_error(name + ": has no stacks, so its functions are not known");
  }
  if (trace.event_count() == 0 && profile::lacks(trace.facts().process, profile::the_start)) {
    throw std::runtime_error(name + ": holds nothing of its program, which ran before and after");
  }
  const bool by_end = std::any_of(rules.begin(), rules.end(), [](const auto& one) {
    return one.what == profile::budget_measure::leaks ||
           one.what == profile::budget_measure::leaked;
  });
  if (by_end && profile::lacks(trace.facts().process, profile::the_end)) {
    throw std::runtime_error(name + ": ends before its program does, so leaks are not known");
  }
  const bool by_frees = by_end || std::any_of(rules.begin(), rules.end(), [](const auto& one) {
                          return one.what == profile::budget_measure::survivors;
                        });
  if (by_frees && profile::lacks(trace.facts().process, profile::other_threads)) {
    throw std::runtime_error(
        name +
        ": has only some of the threads, and others may free their blocks, so leaks and "
        "survivors are not known");
  }
  const std::vector<budget_finding> findings = profile::check_budget(trace, rules, run.program);
  std::size_t breaches = 0;
  for (const budget_finding& one : findings) {
    if (one.kept()) continue;
    ++breaches;
    if (options.json) continue;
    if (options.annotations) {
      print_annotation(options, one);
    } else {
      fmt::print("{}\n", describe(options, one));
    }
  }
  if (options.json) print_json(run.trace, findings);
  if (!warn_if_not_whole(trace, name) && !run.interrupted) {
    throw std::runtime_error(name +
                             ": is incomplete, so it is not known whether it keeps the budget");
  }
  if (options.update && !run.may_update) {
    fmt::print(stderr, "mallard: {}: not updated, since the program did not end with 0\n",
               options.budget);
  } else if (options.update) {
    const std::size_t tightened = profile::tighten_budget(options.budget, findings);
    fmt::print(
        stderr, "mallard: {}: {} now\n", options.budget,
        tightened == 1 ? "1 rule is tighter" : fmt::format("{} rules are tighter", tightened));
  }
  return breaches == 0 ? success : failure;
}

int check_program(const check_options& options, const rule_list& rules) {
  const whatif::temporary_folder folder;
  profile::record_options recorded;
  recorded.command = options.words;
  const whatif::recorded_run run = whatif::record_into(folder.path(), recorded);
  // As the program ended; what it kept to then says little.
  int status = run.summary.exited ? run.summary.status : 128 + run.summary.status;
  // A program that allocates nothing keeps to it, too.
  const std::string& trace = run.trace.empty() ? run.empty_trace : run.trace;
  if (!trace.empty()) {
    checked_run checked{.trace = options.keep, .program = {}};
    checked.interrupted = run.summary.interrupted;
    checked.may_update = run.summary.exited && status == 0 && !run.summary.interrupted;
    if (run.trace.empty()) checked.program = profile::check_program(options.words.front()).file;
    const int kept = check_trace(options, rules, trace, checked);
    if (status == 0) status = kept;
    if (!options.keep.empty()) copy_to(options.keep, trace);
  }
  if (!run.summary.exited) {
    fmt::print(stderr, "mallard: {}: killed by signal {}\n", options.words.front(),
               run.summary.status);
  } else if (trace.empty()) {
    fmt::print(stderr, "mallard: {}\n", run.remark);
    if (status == 0) status = failure;
  }
  if (!run.summary.interrupted) return status;
  fmt::print(stderr, "mallard: interrupted{}\n",
             status == 0 ? "; the part that ran keeps the budget" : "");
  return interrupted;
}

int check(const check_options& options, bool is_command) {
  need_regular_file(options.keep, "a trace");
  expect_other_file(options.budget, options.keep);
  if (is_command) {
    return until_interrupted([&] { return check_program(options, rules_of(options)); });
  }
  if (options.words.size() > 1) {
    throw usage_error("check takes one trace, or a command after --");
  }
  if (!options.keep.empty()) throw usage_error("--keep is for commands: this is a trace already");
  const std::string& trace = options.words.front();
  return check_trace(options, rules_of(options), trace, {.trace = trace, .program = {}});
}

}  // namespace

void add_check_command(command_parser app, const context& shared) {
  const command_parser command = app.add_command(
      "check", "Check a program against a memory budget: mallard check --budget FILE -- COMMAND");
  const auto options = std::make_shared<check_options>();
  command.add_option("TRACE", options->words,
                     "A trace of `mallard record` (default: the newest here), or -- and a command");
  command.add_option("--budget", options->budget, "Rules, one a line (" + document("ci.md") + ")")
      .required();
  command.add_choice("--format", options->annotations, {{"text", false}, {"github", true}},
                     "Lines of text, or GitHub's annotations");
  command.add_new_file("--keep", options->keep, "Keep the command's trace here");
  command.add_flag("--update", options->update,
                   "Lower each limit that leaves room to the value found");
  command.add_flag("--json", options->json, "Print every rule and its result as JSON");
  command.runs([&shared, options] {
    options->words = words_or_newest_trace(options->words, shared.has_dashes);
    return check(*options, shared.has_dashes);
  });
}

}  // namespace mallard::cli
