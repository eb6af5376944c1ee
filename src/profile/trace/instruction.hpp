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

// A register or a place in memory: [base + index * scale + distance].
struct operand {
  static constexpr std::uint8_t none = 0xff;
  static constexpr std::uint8_t next_instruction = 0xfe;  // as the base

  bool is_register = false;  // `base`
  std::uint8_t base = none;
  std::uint8_t index = none;
  std::uint8_t scale = 1;
  std::int32_t distance = 0;

  friend bool operator==(const operand&, const operand&) = default;
};

struct instruction {
  instruction_kind kind = instruction_kind::unknown;
  std::uint32_t bytes = 0;
  std::int64_t target = 0;   // counted from the instruction's beginning
  std::uint16_t opcode = 0;  // 0x0f00 and more: of the second map
  std::uint8_t reg = 0;      // the register beside `rm`, or a part of the opcode
  operand rm;
};

// The instruction at the beginning of `code`.
instruction decode(std::string_view code);

}  // namespace mallard::profile
