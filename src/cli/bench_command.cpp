// mallard bench
#include <CLI/CLI.hpp>

#include <memory>

#include "cli/bench_options.hpp"
#include "cli/bench_run.hpp"
#include "cli/commands.hpp"

namespace mallard::cli {

void add_bench_command(CLI::App& app, context& shared) {
  CLI::App* bench = app.add_subcommand("bench", "Measure");
  bench->require_subcommand(1);
  for (const lab::bench& one : lab::all_benches()) {
    CLI::App* command = bench->add_subcommand(one.name, one.summary);
    const auto options = std::make_shared<bench_options>();
    add_bench_options(*command, one, *options);
    command->callback([&shared, options, &one] {
      shared.chosen = [&shared, options, &one] { return run_bench(one, *options, shared); };
    });
  }
  add_bench_list_command(*bench, shared);
}

}  // namespace mallard::cli
