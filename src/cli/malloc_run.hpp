// Running a bench of mallocs: measuring, writing, printing.
#pragma once

#include <memory>
#include <utility>

#include "cli/commands.hpp"
#include "cli/malloc_options.hpp"

namespace mallard::cli {

// Gives the exit status.
int run_malloc_bench(const lab::malloc_plan& plan, const malloc_request& request,
                     const malloc_options& options, const context& shared);

// When the command is chosen, runs the plan that `make_plan` makes of the options and the request,
// whose parameters it completes.
template <class Options, class MakePlan>
void run_malloc_when_chosen(CLI::App& command, context& shared, std::shared_ptr<Options> options,
                            const malloc_defaults& quick, MakePlan make_plan) {
  command.callback([&shared, options, quick, make_plan] {
    shared.chosen = [&shared, options, quick, make_plan] {
      malloc_request request = make_malloc_request(options->common, quick);
      const lab::malloc_plan plan = make_plan(*options, request);
      return run_malloc_bench(plan, request, options->common, shared);
    };
  });
}

}  // namespace mallard::cli
