// mallard claims
#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/results_input.hpp"
#include "lab/claims.hpp"

namespace mallard::cli {
namespace {

struct claims_options {
  std::string file;
  bool json = false;
};

void print_json(const std::vector<lab::claim_verdict>& verdicts) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& one : verdicts) {
    list.push_back({{"id", one.id},
                    {"section", one.section},
                    {"statement", one.statement},
                    {"note", one.note},
                    {"heap", one.heap},
                    {"verdict", lab::to_string(one.result)},
                    {"figures", one.figures}});
  }
  fmt::print("{}\n", list.dump(2));
}

void print_table(const std::vector<lab::claim_verdict>& verdicts, bool colour) {
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
    fmt::print("{:<7} {} {}\n", one.id, styled(word, colour_of(one.result), colour), one.statement);
    fmt::print("{:<17} {}\n", "", styled(one.figures, style::faint, colour));
    if (!one.note.empty()) fmt::print("{:<17} Note: {}\n", "", one.note);
  }
  fmt::print("\n{} hold, {} fail, {} are undecided\n", counts[lab::verdict::holds],
             counts[lab::verdict::fails], counts[lab::verdict::undecided]);
}

int judge(const claims_options& options, colour_choice colour) {
  const lab::result_file results = read_results(options.file);
  const auto verdicts = lab::evaluate_claims(results.cells);
  if (options.json) {
    print_json(verdicts);
  } else {
    fmt::print("{}\n{}, {}\n", results.run.command, results.run.machine.cpu, results.run.date);
    print_table(verdicts, use_colour(colour, STDOUT_FILENO));
  }
  return success;
}

}  // namespace

void add_claims_command(CLI::App& app, context& shared) {
  CLI::App* command =
      app.add_subcommand("claims", "Judge the statements of P0089R1 by a result file");
  const auto options = std::make_shared<claims_options>();
  command->add_option("RESULT", options->file, "Result file")->required();
  command->add_flag("--json", options->json, "As JSON");
  command->callback([&shared, options] {
    shared.chosen = [&shared, options] { return judge(*options, shared.colour); };
  });
}

}  // namespace mallard::cli
