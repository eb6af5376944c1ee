// mallard cut
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>

#include "base/units.hpp"
#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/newest_trace.hpp"
#include "cli/output_file.hpp"
#include "cli/profile_text.hpp"
#include "cli/usage_error.hpp"
#include "lab/bench/axis.hpp"
#include "profile/trace/copy_trace.hpp"

namespace mallard::cli {
namespace {

struct cut_options {
  std::string trace;
  std::string output;
  std::string from;
  std::string to;
  std::string threads;
};

// "1.5s", "20ms", "300us", "5ns", "2" (seconds): ns.
std::uint64_t parse_time(std::string_view option, std::string_view text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const double ns = unit.empty() || unit == "s" ? 1e9
                    : unit == "ms"              ? 1e6
                    : unit == "us"              ? 1e3
                    : unit == "ns"              ? 1
                                                : 0;
  if (problem != std::errc() || ns == 0 || !(value >= 0) || value * ns > 9e18) {
    throw usage_error(fmt::format("{}: '{}' is not a time like 1.5s, 20ms, 300us", option, text));
  }
  return static_cast<std::uint64_t>(std::llround(value * ns));
}

int cut(cut_options options) {
  profile::selection part;
  if (!options.from.empty()) part.from = parse_time("--from", options.from);
  if (!options.to.empty()) part.until = parse_time("--to", options.to);
  if (part.until <= part.from) throw usage_error("--from must be before --to");
  if (!options.threads.empty()) {
    const auto threads = lab::parse_integers("--threads", options.threads, 0, UINT32_MAX);
    part.threads.emplace(threads.begin(), threads.end());
  }
  need_file(options.output, "a trace");
  options.trace = trace_or_newest(options.trace);
  std::error_code ignored;
  if (std::filesystem::equivalent(options.trace, options.output, ignored)) {
    throw usage_error(fmt::format("{} would be overwritten while it is read", options.output));
  }
  const auto opened = open_trace(options.trace);
  profile::trace_reader& trace = *opened;
  const auto& known = trace.facts().threads;
  if (part.threads && !known.empty()) {
    for (const std::uint32_t one : *part.threads) {
      if (known.contains(one)) continue;
      throw usage_error(fmt::format("--threads: {} has no thread {}, only {} to {}", options.trace,
                                    one, known.begin()->first, known.rbegin()->first));
    }
  }
  const std::uint64_t events = write_whole(options.output, [&](const std::string& out) {
    return profile::copy_trace(trace, part, out);
  });
  warn(trace.problems());
  fmt::print("{}: {} of {}\n", options.output, events, base::counted(trace.event_count(), "event"));
  if (events == 0 && trace.event_count() != 0) {
    warn({fmt::format("{}: no event of {} is in this part; it lasts from {} to {}", options.output,
                      options.trace, base::time_text(static_cast<double>(trace.first_time()) / 1e9),
                      base::time_text(static_cast<double>(trace.last_time()) / 1e9))});
  }
  if (!trace.is_whole()) {
    fmt::print("{}: not whole, as {} is not\n", options.output, options.trace);
  }
  return success;
}

}  // namespace

void add_cut_command(command_parser app) {
  const command_parser command =
      app.add_command("cut", "Cut a range of time or some threads out of a trace");
  const auto options = std::make_shared<cut_options>();
  command.add_option("TRACE", options->trace, trace_only_help);
  command.add_new_file("-o,--output", options->output, "Write the new trace here").required();
  command.add_option("--from", options->from,
                     "Start at this time of the recording: 1.5s, 20ms, 300us");
  command.add_option("--to", options->to, "End before this time");
  command.add_option("--threads", options->threads, "Only these threads, by number: 0,2-4");
  command.runs([options] { return cut(*options); });
}

}  // namespace mallard::cli
