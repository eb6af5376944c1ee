#include "cli/recorded_run.hpp"

#include <fmt/format.h>
#include <stdlib.h>  // mkdtemp

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "cli/usage_error.hpp"
#include "lab/measuring/mallocs.hpp"
#include "profile/record/program_check.hpp"
#include "profile/trace/symbolizer.hpp"

namespace mallard::cli {

namespace fs = std::filesystem;

// Beside the program, where it is built or installed.
std::string record_library() {
  constexpr std::string_view name = "libmallard-record.so";
  const fs::path here = lab::own_program().parent_path();
  std::vector<fs::path> folders = {here, here.parent_path() / "src/recorder",
                                   here.parent_path() / "lib", here.parent_path() / "lib64"};
  for (const fs::path& folder : lab::library_folders()) folders.push_back(folder);
  for (const fs::path& folder : folders) {
    std::error_code ignored;
    if (fs::is_regular_file(folder / name, ignored)) return fs::canonical(folder / name).string();
    // Where Debian and others put libraries.
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.path().filename().string().find("-linux-gnu") != std::string::npos &&
          fs::is_regular_file(entry.path() / name, ignored)) {
        return fs::canonical(entry.path() / name).string();
      }
    }
  }
  throw usage_error(fmt::format("there is no {} beside this program or where libraries are", name));
}

std::string look_at_program(const std::string& program) {
  const profile::program_check check = profile::check_program(program);
  if (check.what == profile::obstacle::no_such_program ||
      check.what == profile::obstacle::not_executable) {
    throw usage_error(describe(check));
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

recorded_run record_into(const std::string& folder, const std::vector<std::string>& command) {
  profile::record_options options;
  options.library = record_library();
  options.command = command;
  options.output = (fs::path(folder) / "program.trace").string();
  options.session.cpu_period_us = 1000;
  const std::string remark = look_at_program(command.front());
  profile::record_hooks hooks;
  profile::symbolizer symbols;
  hooks.finishing = [&](profile::trace_writer& trace) { symbols.add(trace); };
  recorded_run out{"", profile::record(options, hooks)};
  const profile::recorded_process* const first = main_trace(out.summary);
  if (first == nullptr || first->events == 0) {
    throw std::runtime_error(fmt::format("{}: nothing was recorded{}{}", command.front(),
                                         remark.empty() ? "" : ": ", remark));
  }
  out.trace = first->file;
  return out;
}

temporary_folder::temporary_folder()
    : path_((fs::temp_directory_path() / "mallard-XXXXXX").string()) {
  if (mkdtemp(path_.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), path_);
  }
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace mallard::cli
