#include "advise/plain_time.hpp"

#include <algorithm>
#include <system_error>
#include <thread>

#include "lab/measuring/statistics.hpp"

namespace mallard::advise {

plain_time time_program(whatif::program_runner& runner, double enough_seconds,
                        const process::environment& environment, double longest) {
  constexpr std::size_t most_runs = 5;
  const unsigned processors = std::max(1u, std::thread::hardware_concurrency());
  std::vector<double> seconds, undisturbed, processor_seconds, metric;
  plain_time out;
  for (double passed = 0;
       seconds.empty() || (passed < enough_seconds && seconds.size() < most_runs);) {
    const whatif::run_figures run = runner.run(environment, false, longest);
    if (run.error != 0) throw std::system_error(run.error, std::generic_category());
    passed += run.seconds;
    seconds.push_back(run.seconds);
    undisturbed.push_back(undisturbed_seconds(run, processors));
    processor_seconds.push_back(run.processor_seconds);
    metric.push_back(run.metric);
    out.status = run.status;
    out.last = run;
    if (runner.was_interrupted()) break;
  }
  out.seconds = lab::median(seconds);
  out.undisturbed = lab::median(undisturbed);
  out.processor_seconds = lab::median(processor_seconds);
  out.metric = lab::median(metric);
  return out;
}

double undisturbed_seconds(const whatif::run_figures& run, unsigned processors) {
  const double waited = std::max(0.0, run.seconds - run.processor_seconds);
  const double for_others = std::max(0.0, processors * run.seconds - run.processor_seconds);
  if (waited == 0 || for_others == 0) return run.seconds;
  const double idle = std::max(0.0, for_others - run.others_seconds);
  return run.seconds - waited * (1 - idle / for_others);
}

}  // namespace mallard::advise
