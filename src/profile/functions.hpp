// The functions of a trace: what every frame of every stack is called, and which frames are the
// beginning of a thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/function_names.hpp"
#include "profile/trace/trace_reader.hpp"

namespace mallard::profile {

struct function {
  std::string name;    // as the source has it, or module+0xoffset where no symbol is known
  std::string module;  // path of the file it is in; may be empty
  // Nothing is called before it: main, a thread's function, and what calls those.
  bool root = false;
};

// A place in the source, for lists by line.
struct source_line {
  std::string function;  // the innermost, inlined or not
  std::string file;
  std::uint32_t line = 0;
};

class function_table {
 public:
  explicit function_table(const trace_reader& trace);

  const std::vector<function>& functions() const { return functions_; }
  // The function that a stack's innermost frame is in; 0 for stack 0, which has none.
  std::uint32_t of(std::uint32_t stack) const { return of_[stack]; }
  const function& operator[](std::uint32_t id) const { return functions_[id]; }
  // Frames of a stack, counted from the outermost: 1 for a stack of one.
  std::uint32_t depth(std::uint32_t stack) const { return depth_[stack]; }
  // Its outermost frames may be missing, as the recorder keeps so many and no more.
  bool cut(std::uint32_t stack) const { return cut_depth_ != 0 && depth_[stack] >= cut_depth_; }
  // Its innermost frame stands behind a direct call: only one function is called from there.
  bool direct(std::uint32_t stack) const { return direct_[stack]; }
  source_line line(std::uint32_t stack) const;
  std::string module_path(std::uint32_t stack) const { return functions_[of_[stack]].module; }

 private:
  const trace_reader& trace_;
  std::vector<function> functions_;
  std::vector<std::uint32_t> of_;
  std::vector<std::uint32_t> depth_;
  std::vector<bool> direct_;
  std::uint32_t cut_depth_;
};

}  // namespace mallard::profile
