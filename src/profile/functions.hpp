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
  // Whether outermost frames may be missing, since the recorder keeps only so many. O(that number).
  bool cut(std::uint32_t stack) const;
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
  std::uint32_t cut_depth_;
};

}  // namespace mallard::profile
