// The functions of a trace: the names of all frames of all stacks, and which frames begin a thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/function_names.hpp"
#include "profile/trace/trace_reader.hpp"

namespace mallard::profile {

struct function {
  std::string name;    // as in the source, or module+0xoffset if no symbol is known
  std::string module;  // path of its file; may be empty
  // A root has no callers of interest: main, a thread's function, and the functions that call
  // those.
  bool root = false;
  bool of_library = false;  // in a library's header: no place for a resource
};

// A source position, for lists by line.
struct source_line {
  std::string function;  // the innermost, inlined or not
  std::string file;
  std::uint32_t line = 0;
};

class function_table {
 public:
  explicit function_table(const trace_reader& trace);

  const std::vector<function>& functions() const { return functions_; }
  // Returns: the function of a stack's innermost frame; 0 for stack 0.
  std::uint32_t of(std::uint32_t stack) const { return frames_[stack].function; }
  const function& operator[](std::uint32_t id) const { return functions_[id]; }
  // Whether outermost frames are missing, since the recorder keeps only so many.
  bool cut(std::uint32_t stack) const { return cut_depth_ != 0 && depths_[stack] >= cut_depth_; }
  bool any_is_cut() const { return any_is_cut_; }
  // Whether its innermost frame follows a direct call, from which only one function is called.
  bool direct(std::uint32_t stack) const { return frames_[stack].direct; }
  source_line line(std::uint32_t stack) const;
  std::string module_path(std::uint32_t stack) const { return functions_[of(stack)].module; }

 private:
  class finder;
  struct frame {
    std::uint32_t function : 31 = 0;
    std::uint32_t direct : 1 = false;
  };

  const trace_reader& trace_;
  std::vector<function> functions_;
  std::vector<frame> frames_;  // by stack
  // By stack: how many frames it has if no root is among them, at most 255; else 0.
  std::vector<std::uint8_t> depths_;
  std::uint8_t cut_depth_;
  bool any_is_cut_ = false;
};

}  // namespace mallard::profile
