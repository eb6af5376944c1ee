#include "whatif/recorded_run.hpp"

#include <fmt/format.h>
#include <stdlib.h>  // mkdtemp

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "lab/measuring/usage_error.hpp"
#include "process/temporary_place.hpp"
#include "profile/record/program_check.hpp"
#include "profile/trace/symbolizer.hpp"
#include "profile/trace/trace_reader.hpp"
#include "whatif/own_library.hpp"

namespace mallard::whatif {

namespace fs = std::filesystem;

std::string record_library() {
  return find_own_library("libmallard-record.so");
}

std::string look_at_program(const std::string& program) {
  const profile::program_check check = profile::check_program(program);
  if (check.what == profile::obstacle::no_such_program ||
      check.what == profile::obstacle::not_executable ||
      check.what == profile::obstacle::sanitized) {
    throw lab::usage_error(describe(check));
  }
  return check.what == profile::obstacle::none ? std::string() : describe(check);
}

const profile::recorded_process* main_trace(const profile::record_summary& done) {
  const profile::recorded_process* out = nullptr;
  for (const profile::recorded_process& one : done.processes) {
    if (!one.file.empty() && (out == nullptr || one.events > out->events)) out = &one;
  }
  return out;
}

bool requested_nothing(const profile::record_summary& done) {
  const profile::recorded_process* const main = main_trace(done);
  return main != nullptr && main->events == 0 && main->error.empty() && done.not_followed.empty();
}

namespace {

// The shell that drives the program, or a copy of it that executed nothing.
bool has_run(const profile::recorded_process& one, const std::vector<std::string>& command) {
  return profile::is_trace(one.file) &&
         profile::trace_reader(one.file).facts().process.command == command;
}

}  // namespace

recorded_run record_into(const std::string& folder, profile::record_options options, bool samples,
                         const std::string& driven) {
  options.library = record_library();
  options.output = (fs::path(folder) / "program.trace").string();
  options.session.cpu_period_us = samples ? 1000 : 0;
  const bool is_command = options.pid == 0;
  options.ends_all = is_command;
  const std::string program = !driven.empty() ? driven
                              : is_command    ? options.command.front()
                                              : fmt::format("process {}", options.pid);
  const std::string remark = is_command ? look_at_program(program) : "";
  profile::record_hooks hooks;
  profile::symbolizer symbols;
  hooks.finishing = [&](profile::trace_writer& trace) { symbols.add(trace); };
  recorded_run out;
  out.summary = profile::record(options, hooks);
  for (const profile::recorded_process& one : out.summary.processes) {
    if (!one.error.empty()) {
      throw std::runtime_error(process::no_temporary_file(options.output, one.error));
    }
  }
  if (!driven.empty()) {
    std::erase_if(out.summary.processes,
                  [&](const auto& one) { return has_run(one, options.command); });
  }
  const profile::recorded_process* const first = main_trace(out.summary);
  if (first != nullptr && first->events != 0) {
    out.trace = first->file;
  } else {
    const bool is_part = out.summary.cut || !driven.empty();
    out.requested_nothing =
        remark.empty() && (requested_nothing(out.summary) || (!driven.empty() && first == nullptr &&
                                                              out.summary.not_followed.empty()));
    if (out.requested_nothing) {
      if (first != nullptr) out.empty_trace = first->file;
      out.remark =
          fmt::format("{}: it requested no memory{}, so no allocator makes {} faster", program,
                      is_part ? " while it was recorded" : "", is_part ? "that part" : "it");
    } else {
      out.remark =
          fmt::format("{}: nothing was recorded{}{}", program, remark.empty() ? "" : ": ", remark);
    }
  }
  return out;
}

temporary_folder::temporary_folder()
    : path_((process::temporary_place() / "mallard-XXXXXX").string()) {
  if (mkdtemp(path_.data()) == nullptr) {
    throw std::runtime_error(
        process::no_temporary_file(path_, std::generic_category().message(errno)));
  }
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace mallard::whatif
