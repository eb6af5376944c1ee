// mallard doctor
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>

#include "base/units.hpp"
#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/usage_error.hpp"
#include "lab/measuring/build.hpp"
#include "lab/measuring/machine.hpp"
#include "lab/measuring/mallocs.hpp"
#include "lab/measuring/meters.hpp"
#include "lab/measuring/peers.hpp"
#include "process/preloadable.hpp"

namespace mallard::cli {
namespace {

// Prints findings with a mark in front.
class findings {
 public:
  explicit findings(bool colour) : colour_(colour) {}
  void good(std::string_view what, std::string_view value) {
    print("ok  ", style::good, what, value);
  }
  void note(std::string_view what, std::string_view value) {
    print("note", style::bad, what, value);
  }
  void either(bool fine, std::string_view what, std::string_view yes, std::string_view no) {
    fine ? good(what, yes) : note(what, no);
  }

 private:
  void print(std::string_view mark, style how, std::string_view what, std::string_view value) {
    fmt::print("{} {:<22} {}\n", styled(mark, how, colour_), what, value);
  }
  bool colour_;
};

bool hardware_counters_work() {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  const long opened = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0UL);
  if (opened >= 0) close(static_cast<int>(opened));
  return opened >= 0;
}

std::string find_program(const char* name) {
  std::istringstream path(std::getenv("PATH") ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(path, folder, ':');) {
    const std::string candidate = fmt::format("{}/{}", folder, name);
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

void examine_machine(findings& found) {
  const lab::machine_info machine = lab::this_machine();
  found.good("processor", fmt::format("{}, {} cores", machine.cpu, machine.cores));
  found.good("caches",
             fmt::format("{} L1d, {} L2, {} L3", base::bytes_text(machine.l1d_bytes),
                         base::bytes_text(machine.l2_bytes), base::bytes_text(machine.l3_bytes)));
  found.good("memory", fmt::format("{}, pages of {}", base::bytes_text(machine.memory_bytes),
                                   base::bytes_text(machine.page_bytes)));
  found.good("kernel", machine.kernel);
  found.either(
      machine.transparent_hugepages != "never" && machine.transparent_hugepages != "unknown",
      "huge pages", machine.transparent_hugepages,
      "not available: arenas and pools use small pages");

  const auto governor = lab::read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  found.either(!governor || *governor == "performance", "frequency governor",
               governor.value_or("not visible here (a virtual machine?)"),
               fmt::format("{}: frequencies change while measuring; 'performance' is steadier",
                           governor.value_or("")));
  const std::string load = lab::read_line("/proc/loadavg").value_or("");
  const double busy = std::strtod(load.c_str(), nullptr);
  found.either(busy < 0.5, "load", fmt::format("{:.2f}", busy),
               fmt::format("{:.2f}: other work disturbs the figures", busy));
  const auto aslr = lab::read_line("/proc/sys/kernel/randomize_va_space");
  found.good(
      "address randomisation",
      aslr == "0" ? "off" : "on: addresses, and with them small effects, differ between runs");
}

void examine_meters(findings& found) {
  found.either(lab::reset_peak_resident(), "peak memory", "of the timed phase only",
               "since the start of the process (/proc/self/clear_refs does not work)");
  found.either(hardware_counters_work(), "hardware counters", "available",
               "not available (virtual machine, or /proc/sys/kernel/perf_event_paranoid)");
  const std::string valgrind = find_program("valgrind");
  found.either(!valgrind.empty(), "callgrind", valgrind,
               "not installed: no instruction counts (Debian: apt-get install valgrind)");
}

void examine_build(findings& found) {
  const lab::build_info build = lab::this_build();
  found.good("compiler",
             fmt::format("{}, {} build, {}", build.compiler, build.build_type, build.flags));
  for (const auto& warning : lab::build_warnings()) {
    found.note("build", fmt::format("{}: figures are not worth quoting", warning));
  }
  for (const auto& peer : lab::available_peers()) {
    found.good("peer", fmt::format("{} {}", peer.name, peer.version));
  }
  for (const auto& peer : lab::missing_peers()) {
    found.note("peer", fmt::format("{} is skipped: {}", peer.peer, peer.reason));
  }
}

void examine_mallocs(findings& found) {
  const lab::malloc_list mallocs = lab::find_mallocs(lab::own_program());
  for (const auto& one : mallocs.found) {
    found.good("malloc", fmt::format("{} {}", one.name,
                                     one.file.empty() ? "the system's" : one.file.string()));
  }
  for (const auto& one : mallocs.missing) {
    found.note("malloc", fmt::format("{} is skipped: {}", one.peer, one.reason));
  }
}

int print_library(const std::string& malloc) {
  const std::filesystem::path file =
      lab::find_malloc("--library", malloc, lab::find_mallocs(lab::own_program())).file;
  if (file.empty()) {
    throw usage_error(
        fmt::format("--library: '{}' is the system's own and needs no library", malloc));
  }
  fmt::print("{}\n", process::preloadable(file));
  return success;
}

int examine(colour_choice colour) {
  findings found(use_colour(colour, STDOUT_FILENO));
  examine_machine(found);
  examine_meters(found);
  examine_build(found);
  examine_mallocs(found);
  return success;
}

}  // namespace

void add_doctor_command(command_parser app, const context& shared) {
  const auto library = std::make_shared<std::string>();
  const command_parser command =
      app.add_command("doctor", "Show what this machine and build can measure");
  command
      .add_option("--library", *library,
                  "Print only the file of a malloc, for LD_PRELOAD: mallard, mallard-hardened, ...")
      .takes("MALLOC");
  command.runs([library, &shared] {
    return library->empty() ? examine(shared.colour) : print_library(*library);
  });
}

}  // namespace mallard::cli
