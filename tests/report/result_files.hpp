// Small result files for the tests of the report.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lab/results/results.hpp"
#include "support/read_file.hpp"
#include "support/scratch_path.hpp"

namespace mallard::report_test {

using mallard_test::read_file;

lab::run_info sample_run();
lab::cell_result sample_cell(std::string_view strategy, double seconds);
lab::cell_result failed_cell(std::string_view strategy, std::string_view error);

// Cells of Benchmark III.
lab::cell_result sample_series_cell(std::string_view strategy, double seconds);
lab::cell_result failed_series_cell(std::string_view strategy, std::string_view error);

// The same as load_results would give for a file of that name.
lab::result_file sample_file(std::string_view name, std::vector<lab::cell_result> cells);
lab::result_file sample_series_file(std::string_view name, std::vector<lab::cell_result> cells);

class result_folder : public scratch_folder {
 public:
  std::size_t entries() const;

  // Writes a file and returns its path.
  std::filesystem::path write(std::string_view name, std::string_view text) const;
  std::filesystem::path write(const lab::result_file& file) const;
};

}  // namespace mallard::report_test
