#include "cli/output_file.hpp"

#include <fstream>
#include <stdexcept>

#include "cli/usage_error.hpp"

namespace mallard::cli {

void expect_other_file(const std::filesystem::path& input, const std::filesystem::path& output) {
  std::error_code no_output_yet;
  if (std::filesystem::equivalent(input, output, no_output_yet)) {
    throw usage_error(fmt::format("{}: is the input", output.string()));
  }
}

void refuse_to_replace(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code not_there;
  if (!fs::is_regular_file(path, not_there) || fs::file_size(path, not_there) == 0) return;
  throw usage_error(fmt::format("{}: is there already (--force replaces it)", path.string()));
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  if (is_standard_output(path)) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
        std::fflush(stdout) == 0) {
      return;
    }
    throw std::runtime_error("standard output: cannot be written");
  }
  std::ofstream out(path, std::ios::binary);
  out << text << std::flush;
  if (!out) throw std::runtime_error(fmt::format("{}: cannot be written", path.string()));
}

}  // namespace mallard::cli
