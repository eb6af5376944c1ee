// mallard import
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/units.hpp"
#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "cli/profile_text.hpp"
#include "cli/usage_error.hpp"
#include "profile/import/open_trace.hpp"
#include "profile/import/summed_profile.hpp"

namespace mallard::cli {
namespace {

struct import_options {
  std::filesystem::path file;
  std::filesystem::path out;
};

int import(const import_options& options) {
  if (profile::is_summed_profile(options.file.string())) {
    throw usage_error(fmt::format(
        "{}: has sums by stack, not operations; top, dims, diff, report and export read it",
        options.file.string()));
  }
  need_file(options.out.string(), "a trace");
  const profile::import_result result = write_whole(options.out, [&](const std::string& out) {
    return profile::import_trace(options.file, out);
  });
  warn(result.problems);
  if (result.lost > result.problems.size()) {
    warn({fmt::format("{}: {} lines in total are not understood", options.file.string(),
                      result.lost)});
  }
  fmt::print("{}: {}\nNext: mallard dims {}\n", base::counted(result.events, "event"),
             options.out.string(), options.out.string());
  return result.lost == 0 ? success : failure;
}

}  // namespace

void add_import_command(command_parser app, const context&) {
  const command_parser command =
      app.add_command("import", "Convert a recording of heaptrack or logging_resource to a trace");
  const auto options = std::make_shared<import_options>();
  command
      .add_option("FILE", options->file,
                  "heaptrack's file, or a CSV file of mallard::logging_resource")
      .required();
  command.add_new_file("-o,--output", options->out, "Write the trace here").required();
  command.runs([options] { return import(*options); });
}

}  // namespace mallard::cli
