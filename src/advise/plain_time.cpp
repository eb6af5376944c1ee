#include "advise/plain_time.hpp"

#include <system_error>
#include <vector>

#include "lab/measuring/statistics.hpp"

namespace mallard::advise {

plain_time time_program(whatif::program_runner& runner, double enough_seconds) {
  constexpr std::size_t most_runs = 5;
  std::vector<double> seconds, processor_seconds;
  plain_time out;
  for (double passed = 0;
       seconds.empty() || (passed < enough_seconds && seconds.size() < most_runs);) {
    const whatif::run_figures run = runner.run({}, false);
    if (run.error != 0) throw std::system_error(run.error, std::generic_category());
    passed += run.seconds;
    seconds.push_back(run.seconds);
    processor_seconds.push_back(run.processor_seconds);
    out.status = run.status;
    out.last = run;
  }
  out.seconds = lab::median(seconds);
  out.processor_seconds = lab::median(processor_seconds);
  return out;
}

}  // namespace mallard::advise
