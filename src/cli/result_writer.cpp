#include "cli/result_writer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <stdexcept>

namespace mallard::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, std::string_view what) {
  throw std::runtime_error(fmt::format("{}: {}", path.string(), what));
}

// Cells may only join others that were measured in the same way.
void check_same(const fs::path& path, const lab::run_info& then, const lab::run_info& now) {
  const auto check = [&](std::string_view name, const auto& before, const auto& after) {
    if (before != after) {
      fail(path, fmt::format("cannot be resumed: it was measured with {} {}, not {}", name, before,
                             after));
    }
  };
  check("bench", then.bench, now.bench);
  check("mode", then.mode, now.mode);
  check("--reps", then.repetitions, now.repetitions);
  check("--seed", then.seed, now.seed);
  check("version", then.version, now.version);
  check("compiler", then.build.compiler, now.build.compiler);
  check("flags", then.build.flags, now.build.flags);
  check("--malloc", then.malloc, now.malloc);
  for (const auto& [name, value] : now.parameters) {
    const auto before = then.parameters.find(name);
    check(fmt::format("--{}", name),
          before == then.parameters.end() ? std::string() : lab::to_string(before->second),
          lab::to_string(value));
  }
  check("processor", then.machine.cpu, now.machine.cpu);
}

// A last line that was cut off would swallow the next one.
void drop_cut_off_line(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::uintmax_t good = 0;
  for (std::string line; std::getline(in, line) && !in.eof();) good += line.size() + 1;
  in.close();
  if (good != fs::file_size(path)) fs::resize_file(path, good);
}

}  // namespace

result_writer::result_writer(fs::path path, const lab::run_info& run, existing_file policy)
    : path_(std::move(path)) {
  const bool there =
      fs::exists(path_) && !(fs::is_regular_file(path_) && fs::file_size(path_) == 0);
  const bool may_resume = policy == existing_file::refuse_or_resume;
  if (there && (may_resume || policy == existing_file::refuse)) {
    fail(path_, fmt::format("exists already ({}--force replaces it)",
                            may_resume ? "--resume continues it, " : ""));
  }
  const bool resume = there && policy == existing_file::resume;
  if (resume) {
    const lab::result_file file = lab::load_results(path_);
    check_same(path_, file.run, run);
    earlier_ = file.cells;
    if (access(path_.c_str(), W_OK) != 0) fail(path_, "cannot be written");
    drop_cut_off_line(path_);
  }
  out_.open(path_, resume ? std::ios::app : std::ios::trunc);
  if (!out_) fail(path_, "cannot be written");
  if (!resume) write_line(lab::to_line(run));
}

void result_writer::write(const lab::cell_result& cell) {
  write_line(lab::to_line(cell));
}

void result_writer::write_line(const std::string& line) {
  out_ << line << '\n' << std::flush;
  if (!out_) fail(path_, "cannot be written (is the disk full?)");
}

}  // namespace mallard::cli
