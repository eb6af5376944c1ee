// Small result files for the tests of the report.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lab/results/results.hpp"

namespace mallard::report_test {

lab::run_info sample_run();
lab::cell_result sample_cell(std::string_view strategy, double seconds);
lab::cell_result failed_cell(std::string_view strategy, std::string_view error);

// Cells of Benchmark III.
lab::cell_result sample_series_cell(std::string_view strategy, double seconds);
lab::cell_result failed_series_cell(std::string_view strategy, std::string_view error);

// The same as load_results would give for a file of that name.
lab::result_file sample_file(std::string_view name, std::vector<lab::cell_result> cells);
lab::result_file sample_series_file(std::string_view name, std::vector<lab::cell_result> cells);

// A directory of its own for every test, removed at the end.
class scratch_directory {
 public:
  scratch_directory();
  ~scratch_directory();
  scratch_directory(const scratch_directory&) = delete;
  scratch_directory& operator=(const scratch_directory&) = delete;

  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  std::size_t entries() const;

  // Writes a file and returns its path.
  std::filesystem::path write(std::string_view name, std::string_view text) const;
  std::filesystem::path write(const lab::result_file& file) const;

 private:
  std::filesystem::path path_;
};

std::string read_file(const std::filesystem::path& path);

}  // namespace mallard::report_test
