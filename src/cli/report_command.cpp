// mallard report
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/newest_trace.hpp"
#include "cli/output_file.hpp"
#include "cli/profile_text.hpp"
#include "cli/results_input.hpp"
#include "cli/trace_export.hpp"
#include "cli/usage_error.hpp"
#include "report/report.hpp"

namespace mallard::cli {
namespace {

struct report_options {
  std::vector<std::filesystem::path> files;
  std::filesystem::path out = "report.html";
};

int write(report_options options) {
  need_file(options.out.string(), "a page");
  if (options.files.empty()) options.files.emplace_back(trace_or_newest(""));
  const auto traces = std::count_if(options.files.begin(), options.files.end(), is_profile);
  if (traces > 0) {
    if (options.files.size() > 1) {
      throw usage_error("report takes result files, or one trace");
    }
    warn(report::write_trace_report(options.files.front(), options.out));
    fmt::print("Report: {}\n", options.out.string());
    return success;
  }
  for (const auto& file : options.files) read_results_or_refuse(file);  // for its warnings
  report::write_report(options.files, options.out);
  fmt::print("Report: {}\n", options.out.string());
  return success;
}

}  // namespace

void add_report_command(command_parser app) {
  const command_parser command =
      app.add_command("report", "Write one HTML page from result files, or from a trace");
  const auto options = std::make_shared<report_options>();
  command.add_option(
      "RESULT", options->files,
      "Result files; or a trace (default: the newest here), heaptrack's file, DHAT's JSON or a "
      "heap profile of pprof's, tcmalloc's or jemalloc's");
  command.add_new_file("-o,--output", options->out, "Write the page here (default: report.html)");
  command.runs([options] { return write(*options); });
}

}  // namespace mallard::cli
