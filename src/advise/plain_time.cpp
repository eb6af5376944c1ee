#include "advise/plain_time.hpp"

#include <stdexcept>
#include <system_error>

#include "lab/measuring/statistics.hpp"
#include "whatif/program_runner.hpp"

namespace mallard::advise {

plain_time time_program(const std::vector<std::string>& command, double enough_seconds) {
  constexpr std::size_t most_runs = 5;
  whatif::program_runner runner(command);
  std::vector<double> seconds, processor_seconds;
  plain_time out;
  for (double passed = 0;
       seconds.empty() || (passed < enough_seconds && seconds.size() < most_runs);) {
    const whatif::run_figures run = runner.run({}, false);
    if (run.error != 0) {
      throw std::runtime_error(command.front() + ": " + std::generic_category().message(run.error));
    }
    passed += run.seconds;
    seconds.push_back(run.seconds);
    processor_seconds.push_back(run.processor_seconds);
    out.status = run.status;
  }
  out.seconds = lab::median(seconds);
  out.processor_seconds = lab::median(processor_seconds);
  return out;
}

}  // namespace mallard::advise
