// Both tools write the same data in different orders. tcmalloc: a line of sums, then a line for
// each stack, "live blocks: bytes [all blocks: bytes] @ addresses". jemalloc: "heap_v2/N", then for
// each stack a line "@ addresses" and a line "t*: live blocks: bytes [all blocks: bytes]"; lines of
// single threads repeat these sums. At the end both copy /proc/self/maps.
//
// A number N means that the profile is sampled, on average one block for each N bytes. A block of s
// bytes is sampled with the probability 1 - exp(-s/N), so sums are divided by that, as in pprof.
#include "profile/import/heap_profile.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/function_names.hpp"
#include "profile/import/mapped_names.hpp"
#include "profile/import/profile_builder.hpp"

namespace mallard::profile {
namespace {

constexpr std::string_view tcmalloc_start = "heap profile: ";
constexpr std::string_view jemalloc_start = "heap_v2/";

struct profiled_stack {
  std::vector<std::uint64_t> addresses;  // the innermost first
  stack_weights sums;
};

class heap_profile_reader {
 public:
  explicit heap_profile_reader(const std::string& path) : in_(path, std::ios::binary) {
    if (!in_) throw std::runtime_error(std::strerror(errno));
    struct stat about{};
    if (stat(path.c_str(), &about) == 0) written_ = about.st_mtime;
  }

  summed_profile read() {
    std::string line;
    next(line);
    if (line.starts_with(tcmalloc_start)) {
      const std::size_t kind = line.rfind("@ ");
      take_kind(kind == line.npos ? "" : line.substr(kind + 2));
    } else {
      take_kind(line);
    }
    while (next(line) && line.find("MAPPED_LIBRARIES:") == line.npos) take_line(line);
    if (!in_) throw std::runtime_error("ends before its list of modules");
    while (next(line)) take_mapping(line);
    return make();
  }

 private:
  bool next(std::string& line) {
    ++number_;
    return static_cast<bool>(std::getline(in_, line));
  }
  [[noreturn]] void fail() const {
    throw std::runtime_error("line " + std::to_string(number_) + " is not understood");
  }

  void take_kind(const std::string& kind) {
    if (kind == "heapprofile") return;  // of all blocks, not sampled
    if (!kind.starts_with(jemalloc_start)) {
      throw std::runtime_error("is a profile of an unknown kind: " + kind.substr(0, 40));
    }
    period_ = std::strtod(kind.c_str() + jemalloc_start.size(), nullptr);
  }

  void take_line(const std::string& line) {
    const std::size_t at = line.find_first_not_of(' ');
    if (at == line.npos) return;
    if (line[at] == 't') {
      // The lines of single threads repeat these sums.
      if (!line.substr(at).starts_with("t*:") || stacks_.empty()) return;
      take_sums(line.c_str() + at + 3);
      return;
    }
    if (line[at] != '@') {
      stacks_.emplace_back();
      take_sums(line.c_str());
    } else {
      stacks_.emplace_back();
    }
    const std::size_t addresses = line.find('@');
    if (addresses == line.npos) fail();
    const char* text = line.c_str() + addresses + 1;
    for (char* end = nullptr;; text = end) {
      const std::uint64_t address = std::strtoull(text, &end, 16);
      if (end == text) break;
      stacks_.back().addresses.push_back(address);
    }
    if (stacks_.back().addresses.empty() && *text != '\0') fail();
  }

  void take_sums(const char* text) {
    std::uint64_t blocks = 0, bytes = 0, all_blocks = 0, all_bytes = 0;
    if (std::sscanf(text, " %" SCNu64 ": %" SCNu64 " [ %" SCNu64 ": %" SCNu64 "]", &blocks, &bytes,
                    &all_blocks, &all_bytes) != 4) {
      fail();
    }
    stack_weights& sums = stacks_.back().sums;
    take_scaled(blocks, bytes, sums.leaked_blocks, sums.leaked_bytes);
    take_scaled(all_blocks, all_bytes, sums.allocations, sums.bytes);
    sums.operations = sums.allocations;  // the tools do not count frees by place
    has_all_ = has_all_ || all_blocks != 0;
  }

  void take_scaled(std::uint64_t blocks, std::uint64_t bytes, std::uint64_t& to_blocks,
                   std::uint64_t& to_bytes) const {
    double factor = 1;
    if (period_ > 0 && blocks != 0 && bytes != 0) {
      factor /= -std::expm1(-static_cast<double>(bytes) / static_cast<double>(blocks) / period_);
    }
    to_blocks = static_cast<std::uint64_t>(std::round(static_cast<double>(blocks) * factor));
    to_bytes = static_cast<std::uint64_t>(std::round(static_cast<double>(bytes) * factor));
  }

  void take_mapping(const std::string& line) {
    mapped_file made;
    char rights[5] = {};
    int path = 0;
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &made.begin,
                    &made.end, rights, &made.offset, &path) != 4 ||
        path == 0 || line[static_cast<std::size_t>(path)] != '/') {
      return;
    }
    made.path = line.substr(static_cast<std::size_t>(path));
    if (program_.empty()) program_ = made.path;
    if (rights[2] == 'x') files_.push_back(std::move(made));
  }

  // Files changed since would give wrong names.
  names_by_address find_names() const {
    std::vector<mapped_file> unchanged;
    for (const mapped_file& one : files_) {
      struct stat about{};
      if (stat(one.path.c_str(), &about) == 0 && about.st_mtime <= written_)
        unchanged.push_back(one);
    }
    std::vector<std::uint64_t> addresses;
    for (const profiled_stack& one : stacks_) {
      addresses.insert(addresses.end(), one.addresses.begin(), one.addresses.end());
    }
    return find_mapped_names(unchanged, addresses);
  }

  summed_profile make() {
    const names_by_address names = find_names();
    for (const profiled_stack& one : stacks_) {
      std::uint32_t node = 0;
      bool in_heap = false;  // its callees are the heap's, too
      for (auto at = one.addresses.rbegin(); at != one.addresses.rend() && !in_heap; ++at) {
        in_heap = !enter(node, *at, names);
      }
      builder_.own(node) += one.sums;
    }
    std::vector<std::string> lacks = {
        "times", "threads", "addresses", "sizes", "the order of operations", "peaks of subsystems"};
    if (!has_all_) lacks.emplace_back("what was freed");
    lacks.emplace_back("the peak");
    return {program_, builder_.take(), std::move(lacks)};
  }

  // Sets `node` to the function called there. Returns: false for a function of the heap.
  bool enter(std::uint32_t& node, std::uint64_t address, const names_by_address& names) {
    const auto of = std::find_if(files_.begin(), files_.end(), [&](const mapped_file& one) {
      return one.begin < address && address <= one.end;
    });
    const std::string module = of == files_.end() ? "" : of->path;
    const std::string file = file_name(module);
    if (file.starts_with("libjemalloc") || file.starts_with("libtcmalloc")) return false;
    const auto found = names.find(address);
    if (found == names.end() || found->second.empty()) {
      node = builder_.child(node, {nameless_in(module), module, {}, 0});
      return true;
    }
    for (auto one = found->second.rbegin(); one != found->second.rend(); ++one) {
      if (is_allocation_function(one->name)) return false;
      node = builder_.child(node, *one);
    }
    return true;
  }

  std::ifstream in_;
  std::time_t written_ = 0;
  std::size_t number_ = 0;
  double period_ = 0;  // 0: not sampled
  bool has_all_ = false;
  std::vector<profiled_stack> stacks_;
  std::string program_;             // the first mapped file
  std::vector<mapped_file> files_;  // those with mapped code
  profile_builder builder_;
};

}  // namespace

bool is_heap_profile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string start(tcmalloc_start.size(), '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  return start == tcmalloc_start || start.starts_with(jemalloc_start);
}

summed_profile read_heap_profile(const std::string& path) {
  try {
    return heap_profile_reader(path).read();
  } catch (const std::runtime_error& problem) {
    throw std::runtime_error(path + ": " + problem.what());
  }
}

}  // namespace mallard::profile
