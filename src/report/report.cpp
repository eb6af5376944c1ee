#include "report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "lab/results/merge.hpp"
#include "process/replaced_file.hpp"
#include "profile/analysis.hpp"
#include "profile/density.hpp"
#include "profile/import/open_trace.hpp"
#include "profile/import/summed_dims.hpp"
#include "profile/result_json.hpp"
#include "profile/sites.hpp"
#include "profile/views/trace_views.hpp"
#include "report/model.hpp"
#include "report/page.hpp"
#include "report/trace_model.hpp"

namespace mallard::report {
namespace {

void replace_file(const std::filesystem::path& out, std::string_view text) {
  if (std::filesystem::exists(out) && !std::filesystem::is_regular_file(out)) {
    throw std::runtime_error(fmt::format("{}: is not a regular file", out.string()));
  }
  process::replace_file(out, [&](std::ostream& to) { to << text; });
}

void refuse_to_overwrite(const std::filesystem::path& input, const std::filesystem::path& out) {
  std::error_code no_output_yet;
  if (std::filesystem::equivalent(input, out, no_output_yet)) {
    throw std::runtime_error(
        fmt::format("{}: is an input; the report needs another file", input.string()));
  }
}

// More subsystems cannot be told apart by colour; the rest is one.
constexpr std::size_t most_subsystems = 7;

}  // namespace

std::vector<std::string> write_trace_report(const std::filesystem::path& trace,
                                            const std::filesystem::path& out,
                                            const nlohmann::ordered_json& advice,
                                            bool (*interrupted)()) {
  refuse_to_overwrite(trace, out);
  if (profile::is_summed_profile(trace.string())) {
    profile::summed_profile program = profile::read_summed_profile(trace.string());
    const profile::dims_result dims = profile::dims_of(program, {});
    profile::trace_facts facts;
    facts.process.command = {program.command};
    trace_file file;
    file.bytes = std::filesystem::file_size(trace);
    file.sites = profile::sites_of(program.stacks, false);
    profile::trace_views views;
    views.stacks = std::move(program.stacks);
    replace_file(out, fill_page(page_template(), make_trace_model(dims, views, facts, file)));
    return {};
  }
  const profile::opened_trace opened = profile::open_trace(trace.string());
  profile::trace_reader& reader = *opened.trace;
  reader.interrupted_by(interrupted);
  const profile::function_table functions(reader);
  // The page chooses parts of the time by the steps of the history.
  profile::trace_analysis analysis(reader, functions,
                                   {.windows = profile::stack_history_builder::steps});
  profile::view_maker views(reader, functions, analysis.shown_subsystems(most_subsystems));
  profile::site_counter sites(reader, functions);
  profile::block_watcher* const also[] = {&views, &sites};
  profile::dims_result dims = analysis.finish(also);
  // The share measured on the program as it is stands for the recording's own estimate.
  if (advice.is_object()) {
    if (const auto share = profile::heap_share_from(
            advice.contains("heap") ? advice["heap"] : nlohmann::ordered_json())) {
      profile::take_heap_share(dims, *share);
    }
  }
  const trace_file file{reader.bytes(), reader.event_count(), sites.list(false)};
  nlohmann::ordered_json model = make_trace_model(
      dims, views.take(sites.weights(), profile::least_drawn_share), reader.facts(), file);
  if (!advice.is_null()) model["advice"] = advice;
  replace_file(out, fill_page(page_template(), model));
  std::vector<std::string> problems = opened.imported.problems;
  problems.insert(problems.end(), dims.problems.begin(), dims.problems.end());
  return problems;
}

void write_difference_report(const nlohmann::ordered_json& difference,
                             const profile::stack_profile& before,
                             const profile::stack_profile& after,
                             const std::filesystem::path& out) {
  replace_file(out, fill_page(page_template(), make_difference_model(difference, before, after)));
}

void write_report(std::span<const std::filesystem::path> results,
                  const std::filesystem::path& out) {
  if (results.empty()) throw std::runtime_error("no result file given");
  std::vector<lab::result_file> files;
  files.reserve(results.size());
  for (const auto& path : results) {
    files.push_back(lab::load_results(path));
    std::error_code no_output_yet;
    if (std::filesystem::equivalent(path, out, no_output_yet)) {
      throw std::runtime_error(
          fmt::format("{}: is an input; the report needs another file", out.string()));
    }
  }
  replace_file(out, fill_page(page_template(), make_model(lab::merge(files))));
}

}  // namespace mallard::report
