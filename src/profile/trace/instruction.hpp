// The x86-64 instructions, as far as the way through a function's code depends on them: how long
// each is, and where it goes.
#pragma once

#include <cstdint>
#include <string_view>

namespace mallard::profile {

enum class instruction_kind : std::uint8_t {
  plain,          // goes on behind itself
  call,           // of `target`
  call_indirect,  // of whatever a register or memory says
  jump,           // to `target`
  branch,         // to `target`, or goes on
  jump_indirect,
  jump_outside,  // to what a fixed place in memory says, `target`: mostly another module's function
  leave,         // returns
  stop,          // nothing comes behind it
  unknown,       // no instruction that is known
};

struct instruction {
  instruction_kind kind = instruction_kind::unknown;
  std::uint32_t bytes = 0;
  std::int64_t target = 0;  // counted from the instruction's beginning
};

// The instruction at the beginning of `code`.
instruction decode(std::string_view code);

}  // namespace mallard::profile
