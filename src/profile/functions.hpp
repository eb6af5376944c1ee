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
  bool of_library = false;  // of a library's header: no place for a resource
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
  std::uint32_t of(std::uint32_t stack) const {
    if (stack < roots_.size() && roots_[stack] != 0) return roots_[stack];
    return names_[name_of(stack)].function;
  }
  const function& operator[](std::uint32_t id) const { return functions_[id]; }
  // Its outermost frames may be missing, as the recorder keeps so many and no more. O(so many).
  bool cut(std::uint32_t stack) const;
  // Its innermost frame stands behind a direct call: only one function is called from there.
  bool direct(std::uint32_t stack) const { return names_[name_of(stack)].direct; }
  source_line line(std::uint32_t stack) const;
  std::string module_path(std::uint32_t stack) const { return functions_[of(stack)].module; }

 private:
  class finder;
  // The name of a return address, in one module.
  struct name {
    std::uint32_t function = 0;  // of ordinary frames; 0: it has none
    bool direct = false;
  };
  // Most stacks are of the same few addresses, so nothing is kept for each: an address has one
  // name, unless modules came and went, where one address may have been two modules'.
  std::uint32_t name_of(std::uint32_t stack) const {
    return names_of_stacks_.empty() ? trace_.stacks().place(stack) : names_of_stacks_[stack];
  }

  void find_names_of_stacks();

  const trace_reader& trace_;
  std::vector<function> functions_;
  std::vector<name> names_;                     // by place, and more where modules came and went
  std::vector<std::uint32_t> names_of_stacks_;  // only where modules came and went
  std::vector<std::uint32_t> roots_;            // by stack, as far as there are any; 0: it is none
  std::uint32_t cut_depth_;
};

}  // namespace mallard::profile
