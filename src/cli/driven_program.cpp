#include "cli/driven_program.hpp"

#include <cmath>

namespace mallard::cli {
namespace {

// $1 is the load, $2 what says that the program is ready, $3 not empty where what the load writes
// is of interest, $4 not empty where the program may end before the load is over; the program's
// words follow. What a process uses is counted where it is waited for: so the load's shell is no
// child of this one. It says by SIGUSR1 that the load is over; how the program ends when it is then
// told to is its own affair, unless a signal ends it.
constexpr const char* script = R"(
load=$1 ready=$2 may_end=$4
if [ "$3" ]; then exec 3>&1; else exec 3>/dev/null; fi
shift 4
over=
trap 'over=1' USR1
"$@" 3>&- &
program=$!
unset LD_PRELOAD
exec 4>&2 2>/dev/null
trap 'kill -TERM $program; (sleep 1; kill -KILL $program) >/dev/null 4>&- &' INT TERM HUP
( (
  trap - INT TERM HUP USR1
  tries=0
  until eval "$ready"; do
    kill -0 $program || exit
    tries=$((tries+1))
    if [ $tries -gt 1000 ]; then kill -KILL $program; exit; fi
    sleep 0.05
  done >/dev/null 2>&1
  kill -0 $program 2>/dev/null || exit
  if (eval "$load") >&3 2>&1 3>&-; then
    kill -USR1 $$; kill -TERM $program 2>/dev/null
  else
    kill -KILL $program
  fi
) </dev/null 4>&- & )
wait $program
status=$?
if [ "$over" ] && [ $status -eq 138 ]; then wait $program; status=$?; fi
while [ "$over" ] && kill -0 $program; do wait $program; status=$?; done
case $status in
  143) exit 0 ;;
  137) echo "mallard: the load failed, or --ready did not succeed within a minute" >&4; exit 1 ;;
esac
if [ $status -eq 0 ] && [ -z "$may_end" ]; then
  # The load may have ended the program as its last step.
  tries=0
  while [ -z "$over" ] && [ $tries -lt 20 ]; do sleep 0.05; tries=$((tries+1)); done
  [ "$over" ] || exit 1
fi
if [ "$over" ] && [ $status -lt 128 ]; then exit 0; fi
exit $status
)";

}  // namespace

// In the script, which knows the program.
load_options load_of_seconds(double seconds) {
  const auto tenths = static_cast<long>(std::ceil(seconds * 10));
  return {"n=0; while [ $n -lt " + std::to_string(tenths) +
              " ] && kill -0 $program; do sleep 0.1; n=$((n+1)); done; true",
          "true", false, true};
}

std::vector<std::string> driven(const std::vector<std::string>& command,
                                const load_options& options) {
  if (options.load.empty()) return command;
  std::vector<std::string> out = {"/bin/sh",
                                  "-c",
                                  script,
                                  "mallard",
                                  options.load,
                                  options.ready.empty() ? "sleep 1" : options.ready,
                                  options.shows_load ? "yes" : "",
                                  options.may_end_early ? "yes" : ""};
  out.insert(out.end(), command.begin(), command.end());
  return out;
}

}  // namespace mallard::cli
