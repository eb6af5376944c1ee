#include "cli/trace_export.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "cli/cli.hpp"
#include "cli/profile_text.hpp"
#include "cli/usage_error.hpp"
#include "profile/analysis.hpp"
#include "profile/export/blocks.hpp"
#include "profile/export/perfetto.hpp"
#include "profile/export/stack_formats.hpp"
#include "profile/import/dhat.hpp"
#include "profile/trace/symbolizer.hpp"
#include "profile/views/trace_views.hpp"

namespace mallard::cli {
namespace {

constexpr std::string_view formats = "collapsed, speedscope, pprof, perfetto, csv, sqlite";

// "-" is standard output, which then has nothing else.
bool is_standard_output(const std::filesystem::path& path) {
  return path == "-";
}

template <class... Arguments>
void say(const std::filesystem::path& out, fmt::format_string<Arguments...> text,
         Arguments&&... arguments) {
  fmt::print(is_standard_output(out) ? stderr : stdout, text,
             std::forward<Arguments>(arguments)...);
}

void write(const std::filesystem::path& path, const std::string& text) {
  if (is_standard_output(path)) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
        std::fflush(stdout) == 0) {
      return;
    }
    throw std::runtime_error("standard output: cannot be written");
  }
  std::ofstream out(path, std::ios::binary);
  out << text << std::flush;
  if (!out) throw std::runtime_error(fmt::format("{}: cannot be written", path.string()));
}

struct recorded_program {
  std::string title;
  profile::recording_time time;
  profile::stack_profile stacks;
};

int write_stacks(const recorded_program& program, const std::string& to, const std::string& weight,
                 const std::filesystem::path& out) {
  if (to == "collapsed") {
    write(out, profile::to_collapsed(program.stacks, parse_weight(weight)));
  } else if (to == "speedscope") {
    write(out, profile::to_speedscope(program.stacks, program.title));
  } else {
    write(out, profile::to_pprof(program.stacks, program.time));
  }
  say(out, "{} stacks: {}\n", program.stacks.nodes.size() - 1, out.string());
  return success;
}

bool has_stacks_alone(const std::string& to) {
  return to == "collapsed" || to == "speedscope" || to == "pprof";
}

std::string title_of(const profile::trace_reader& trace) {
  return fmt::format("{}", fmt::join(trace.facts().process.command, " "));
}

}  // namespace

const profile::weight_kind& parse_weight(const std::string& word) {
  if (const auto* found = profile::find_weight(word)) return *found;
  std::string known;
  for (const auto& kind : profile::weight_kinds) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", kind.name);
  }
  throw usage_error(fmt::format("--weight: unknown value '{}' (known: {})", word, known));
}

bool is_profile(const std::filesystem::path& file) {
  return profile::is_trace(file) || profile::is_dhat(file.string());
}

int export_profile(const std::filesystem::path& from, const std::string& to,
                   const std::string& weight, const std::filesystem::path& out) {
  if (!has_stacks_alone(to) && to != "perfetto" && to != "csv" && to != "sqlite") {
    throw usage_error(fmt::format("--to: unknown value '{}' (known: {})", to, formats));
  }
  parse_weight(weight);
  std::error_code no_output_yet;
  if (std::filesystem::equivalent(from, out, no_output_yet)) {
    throw usage_error(fmt::format("{}: is the input", out.string()));
  }
  if (profile::is_dhat(from.string())) {
    if (!has_stacks_alone(to)) {
      throw usage_error(
          fmt::format("{}: DHAT records sums, not blocks: --to collapsed, "
                      "speedscope or pprof",
                      from.string()));
    }
    profile::dhat_profile read = profile::read_dhat(from.string());
    return write_stacks({read.command, {}, std::move(read.stacks)}, to, weight, out);
  }
  profile::trace_reader trace(from.string());
  profile::find_missing_symbols(trace);
  const profile::function_table functions(trace);
  if (to == "csv" || to == "sqlite") {
    if (to == "sqlite") need_file(out.string(), "a database");
    const std::string file = is_standard_output(out) ? "/dev/stdout" : out.string();
    const std::uint64_t rows = to == "csv" ? profile::write_csv(trace, functions, file)
                                           : profile::write_sqlite(trace, functions, file);
    say(out, "{} blocks: {}\n", rows, out.string());
    return success;
  }
  profile::trace_analysis analysis(trace, functions, {});
  profile::view_maker watcher(trace, functions, analysis.shown_subsystems(20));
  profile::block_watcher* const also[] = {&watcher};
  const profile::dims_result dims = analysis.finish(also);
  profile::trace_views views = watcher.take();
  if (to == "perfetto") {
    write(out, profile::to_perfetto(views.live, title_of(trace), static_cast<long>(dims.pid)));
    say(out, "{} subsystems: {}\n", views.live.names.size(), out.string());
    return success;
  }
  const auto started = static_cast<std::int64_t>(trace.facts().process.started);
  return write_stacks({title_of(trace),
                       {started, static_cast<std::int64_t>(trace.last_time())},
                       std::move(views.stacks)},
                      to, weight, out);
}

}  // namespace mallard::cli
