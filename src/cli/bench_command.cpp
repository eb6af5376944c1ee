// mallard bench

#include <memory>

#include "cli/bench_options.hpp"
#include "cli/bench_run.hpp"
#include "cli/commands.hpp"

namespace mallard::cli {

void add_bench_command(command_parser app, const context& shared) {
  const command_parser bench =
      app.add_command("bench", "Run a bench: strategies, structures or mallocs side by side");
  bench.require_command();
  for (const lab::bench& one : lab::all_benches()) {
    const command_parser command = bench.add_command(one.name, one.summary);
    const auto options = std::make_shared<bench_options>();
    add_bench_options(command, one, *options);
    command.runs([&shared, options, &one] { return run_bench(one, *options, shared); });
  }
  add_bench_list_command(bench);
}

}  // namespace mallard::cli
