// Writing a result file line by line while the bench runs.
#pragma once

#include <filesystem>
#include <fstream>
#include <vector>

#include "lab/results/results.hpp"

namespace mallard::cli {

enum class existing_file { refuse, refuse_or_resume, replace, resume };

class result_writer {
 public:
  // Opens the file before anything is measured and throws std::runtime_error if it cannot be
  // written, is there already (`refuse`, or `refuse_or_resume`, which names that option), or was
  // measured with other parameters (resume).
  result_writer(std::filesystem::path path, const lab::run_info& run, existing_file policy);

  // The cells of a resumed file.
  const std::vector<lab::cell_result>& earlier() const { return earlier_; }

  // Appends and flushes, so that nothing is lost whatever happens next.
  void write(const lab::cell_result& cell);

  const std::filesystem::path& path() const { return path_; }

 private:
  void write_line(const std::string& line);

  std::filesystem::path path_;
  std::ofstream out_;
  std::vector<lab::cell_result> earlier_;
};

}  // namespace mallard::cli
