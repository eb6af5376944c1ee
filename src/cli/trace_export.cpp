#include "cli/trace_export.hpp"

#include <fmt/format.h>
#include <algorithm>

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "base/units.hpp"
#include "cli/cli.hpp"
#include "cli/newest_trace.hpp"
#include "cli/output_file.hpp"
#include "cli/place_options.hpp"
#include "cli/profile_text.hpp"
#include "cli/usage_error.hpp"
#include "process/replaced_file.hpp"
#include "profile/analysis.hpp"
#include "profile/export/blocks.hpp"
#include "profile/export/perfetto.hpp"
#include "profile/export/stack_formats.hpp"
#include "profile/import/open_trace.hpp"
#include "profile/import/summed_profile.hpp"
#include "profile/shell_word.hpp"
#include "profile/sites.hpp"
#include "profile/views/trace_views.hpp"

namespace mallard::cli {
namespace {

struct recorded_program {
  std::string title;
  profile::recording_time time;
  profile::stack_profile stacks;
};

// The file is there in any case; its status says whether all of the trace is in it.
int status_of(const profile::trace_reader& trace, const std::filesystem::path& from) {
  return warn_if_not_whole(trace, from.string()) ? success : failure;
}

int write_stacks(const recorded_program& program, const std::string& to,
                 const profile::weight_kind& weight, const std::filesystem::path& out) {
  std::size_t written = program.stacks.nodes.size() - 1;
  if (to == "collapsed") {
    const std::string lines = profile::to_collapsed(program.stacks, weight);
    written = static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
    write_text(out, lines);
  } else if (to == "speedscope") {
    write_text(out, profile::to_speedscope(program.stacks, program.title));
  } else {
    write_text(out, profile::to_pprof(program.stacks, program.time));
  }
  say(out, "{}: {}\n", base::counted(written, "stack"), out.string());
  return success;
}

bool has_stacks_alone(const std::string& to) {
  return to == "collapsed" || to == "speedscope" || to == "pprof";
}

std::string title_of(const profile::trace_reader& trace) {
  return profile::shell_words(trace.facts().process.command);
}

}  // namespace

bool is_profile(const std::filesystem::path& file) {
  return profile::is_trace(file) || profile::is_summed_profile(file.string()) ||
         profile::is_importable(file.string());
}

int export_profile(const std::filesystem::path& from, const std::string& to,
                   const profile::weight_kind& weight, const std::filesystem::path& out) {
  if (profile::is_summed_profile(from.string())) {
    if (!has_stacks_alone(to)) {
      throw usage_error(
          fmt::format("{}: has sums by stack, not blocks; use --to collapsed, "
                      "speedscope or pprof",
                      from.string()));
    }
    profile::summed_profile read = profile::read_summed_profile(from.string());
    profile::name_stackless(read.stacks);
    return write_stacks({read.command, {}, std::move(read.stacks)}, to, weight, out);
  }
  const auto opened = open_trace(from.string());
  profile::trace_reader& trace = *opened;
  const profile::function_table functions(trace);
  if (to == "csv" || to == "sqlite") {
    if (to == "sqlite") need_file(out.string(), "a database");
    std::uint64_t rows = 0;
    if (to == "csv") {
      write_stream(out,
                   [&](std::ostream& file) { rows = profile::write_csv(trace, functions, file); });
    } else {
      process::replaced_file file(out);
      rows = profile::write_sqlite(trace, functions, file);
      file.finish();
    }
    say(out, "{}: {}\n", base::counted(rows, "block"), out.string());
    return status_of(trace, from);
  }
  profile::trace_analysis analysis(trace, functions, {});
  profile::view_maker watcher(trace, functions, analysis.shown_subsystems(20));
  profile::site_counter weights(trace, functions);
  profile::block_watcher* const also[] = {&watcher, &weights};
  const profile::dims_result dims = analysis.finish(also);
  profile::trace_views views = watcher.take(weights.weights());
  if (to == "perfetto") {
    write_text(out, profile::to_perfetto(views.live, title_of(trace), static_cast<long>(dims.pid)));
    say(out, "{} subsystems: {}\n", views.live.names.size(), out.string());
    return status_of(trace, from);
  }
  const auto started = static_cast<std::int64_t>(trace.facts().process.started);
  write_stacks({title_of(trace),
                {started, static_cast<std::int64_t>(trace.last_time())},
                std::move(views.stacks)},
               to, weight, out);
  return status_of(trace, from);
}

}  // namespace mallard::cli
