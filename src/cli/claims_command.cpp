// mallard claims
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/results_input.hpp"
#include "lab/claims/claim_table.hpp"
#include "lab/claims/claims.hpp"
#include "lab/claims/verdict_json.hpp"
#include "lab/results/merge.hpp"
#include "process/input_file.hpp"

namespace mallard::cli {
namespace {

struct claims_options {
  std::vector<std::string> files;
  std::filesystem::path statements;
  bool json = false;
};

using verdicts_of = std::vector<lab::claim_verdict>;

void add_json(nlohmann::ordered_json& list, const lab::dataset& set, const verdicts_of& verdicts) {
  for (const auto& one : verdicts) {
    list.push_back(lab::to_json(one));
    list.back()["data_set"] = set.label;
  }
}

void print_table(const verdicts_of& verdicts, bool colour) {
  const auto colour_of = [](lab::verdict result) {
    switch (result) {
      case lab::verdict::holds:
        return style::good;
      case lab::verdict::fails:
        return style::bad;
      case lab::verdict::undecided:
        break;
    }
    return style::faint;
  };
  std::map<lab::verdict, std::size_t> counts;
  std::string heap;
  for (const auto& one : verdicts) {
    if (one.heap != heap) {
      heap = one.heap;
      fmt::print("\n{}\n", styled(fmt::format("{} heap", heap), style::bold, colour));
    }
    ++counts[one.result];
    const std::string word = fmt::format("{:<9}", lab::to_string(one.result));
    fmt::print("{:<7} {} {}{}\n", one.id, styled(word, colour_of(one.result), colour),
               one.statement, one.variant.empty() ? "" : fmt::format(" ({})", one.variant));
    fmt::print("{:<17} {}\n", "", styled(one.figures, style::faint, colour));
    if (!one.note.empty()) fmt::print("{:<17} Note: {}\n", "", one.note);
  }
  fmt::print("\n{} hold, {} fail, {} are undecided\n", counts[lab::verdict::holds],
             counts[lab::verdict::fails], counts[lab::verdict::undecided]);
}

// The statements of the file, or of the documents when none is named.
std::vector<lab::claim> statements_of(const std::filesystem::path& path) {
  if (path.empty()) return {lab::all_claims().begin(), lab::all_claims().end()};
  const std::ifstream file = process::open_input(path.string(), "a file of statements");
  std::ostringstream text;
  text << file.rdbuf();
  return lab::read_claims(text.str(), path.string());
}

int judge(const claims_options& options, colour_choice colour) {
  const std::vector<lab::claim> claims = statements_of(options.statements);
  std::vector<lab::result_file> files;
  files.reserve(options.files.size());
  for (const std::string& file : options.files) files.push_back(read_results(file));
  const lab::merged_results merged = lab::merge(files);
  auto list = nlohmann::ordered_json::array();
  for (const lab::dataset& set : merged.datasets) {
    const auto verdicts = lab::evaluate_claims(lab::observe(set), claims);
    if (options.json) {
      add_json(list, set, verdicts);
      continue;
    }
    for (const auto& one : set.sources) fmt::print("{}\n", one.run.command);
    fmt::print("{}, {}\n", set.label, set.sources.back().run.date);
    print_table(verdicts, use_colour(colour, STDOUT_FILENO));
    if (&set != &merged.datasets.back()) fmt::print("\n");
  }
  if (options.json) {
    const nlohmann::ordered_json out = {{"version", 1}, {"verdicts", std::move(list)}};
    fmt::print("{}\n", out.dump(2));
  }
  return success;
}

}  // namespace

void add_claims_command(command_parser app, const context& shared) {
  const command_parser command =
      app.add_command("claims", "Judge the documents' statements, or your own, by result files");
  const auto options = std::make_shared<claims_options>();
  command.add_option("RESULT", options->files, "Result files").required();
  command.add_option("--statements", options->statements,
                     "Judge the statements in this JSON file instead");
  command.add_flag("--json", options->json, "Print JSON");
  command.runs([&shared, options] { return judge(*options, shared.colour); });
}

}  // namespace mallard::cli
