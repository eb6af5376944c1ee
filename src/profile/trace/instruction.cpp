#include "profile/trace/instruction.hpp"

#include <cstring>

// By the opcode maps of Intel's Software Developer's Manual, volume 2, appendix A.
namespace mallard::profile {
namespace {

using kind = instruction_kind;

class decoder {
 public:
  explicit decoder(std::string_view code) : code_(code) {}

  instruction decode() {
    out_.kind = kind::plain;
    prefixes();
    const std::uint8_t opcode = byte();
    out_.opcode = opcode;
    if (opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62) {
      vector_opcode(opcode);
    } else if (opcode == 0x0f) {
      second_map();
    } else {
      first_map(opcode);
    }
    if (at_ > code_.size() || at_ > 15) return {};
    out_.bytes = static_cast<std::uint32_t>(at_);
    if (relative_) out_.target += at_;
    return out_;
  }

 private:
  std::uint8_t byte() {
    if (at_ < code_.size()) return static_cast<std::uint8_t>(code_[at_++]);
    at_ = code_.size() + 1;
    return 0;
  }
  void skip(std::size_t bytes) { at_ += bytes; }

  void prefixes() {
    for (;; ++at_) {
      const std::uint8_t one = at_ < code_.size() ? static_cast<std::uint8_t>(code_[at_]) : 0x90;
      const bool is_rex = (one & 0xf0) == 0x40;
      if (is_rex) {
        rex_ = one;
        ++at_;
        return;
      }
      if (one == 0x66) {
        short_ = true;
      } else if (one == 0x67) {
        short_address_ = true;
      } else if (one != 0xf2 && one != 0xf3 && one != 0xf0 && one != 0x2e && one != 0x36 &&
                 one != 0x3e && one != 0x26 && one != 0x64 && one != 0x65) {
        return;
      }
    }
  }

  // A register's number: three bits, and one of the prefix.
  std::uint8_t numbered(unsigned low, unsigned bit_of_prefix) const {
    return static_cast<std::uint8_t>((low & 7) | ((rex_ >> bit_of_prefix & 1u) << 3));
  }

  // An operand in a register or memory, and the register beside it.
  void operands() {
    const std::uint8_t says = byte();
    const unsigned mode = says >> 6;
    out_.reg = numbered(says >> 3, 2);
    operand& rm = out_.rm;
    rm.is_register = mode == 3;
    rm.base = numbered(says, 0);
    if (rm.is_register) return;
    bool far = mode == 2;
    if ((says & 7) == 4) {
      const std::uint8_t scaled = byte();
      rm.base = numbered(scaled, 0);
      rm.index = numbered(scaled >> 3, 1);
      rm.scale = static_cast<std::uint8_t>(1 << (scaled >> 6));
      if (rm.index == 4) rm.index = operand::none;
      if (mode == 0 && (scaled & 7) == 5) {
        rm.base = operand::none;
        far = true;
      }
    } else if (mode == 0 && (says & 7) == 5) {
      rm.base = operand::next_instruction;
      far = true;
    }
    if (far || mode == 1) rm.distance = number(far ? 4 : 1);
  }

  std::int32_t number(std::size_t bytes) {
    if (bytes == 1) return static_cast<std::int8_t>(byte());
    std::int32_t out = 0;
    if (at_ + 4 <= code_.size()) std::memcpy(&out, code_.data() + at_, 4);
    skip(4);
    return out;
  }

  std::size_t word() const { return short_ && (rex_ & 8) == 0 ? 2 : 4; }

  void first_map(std::uint8_t opcode) {
    const unsigned low = opcode & 7u;
    if (opcode < 0x40) {  // eight operations with the same operands
      if (low < 4) {
        operands();
      } else if (low == 4) {
        skip(1);
      } else if (low == 5) {
        skip(word());
      } else {
        out_.kind = kind::unknown;
      }
      return;
    }
    if (opcode >= 0x70 && opcode < 0x80) return branch(kind::branch, 1);
    if (opcode >= 0xb0 && opcode < 0xb8) return skip(1);
    if (opcode >= 0xb8 && opcode < 0xc0) return skip((rex_ & 8) != 0 ? 8 : word());
    if (opcode >= 0xd8 && opcode < 0xe0) return operands();
    if (opcode >= 0x84 && opcode < 0x90) return operands();
    if (opcode >= 0xa0 && opcode < 0xa4) return skip(short_address_ ? 4 : 8);
    switch (opcode) {
      case 0x63:
      case 0xd0:
      case 0xd1:
      case 0xd2:
      case 0xd3:
      case 0xfe:
        return operands();
      case 0x68:
      case 0xa9:
        return skip(word());
      case 0x6a:
      case 0xa8:
      case 0xcd:
      case 0xe4:
      case 0xe5:
      case 0xe6:
      case 0xe7:
        return skip(1);
      case 0x69:
      case 0x81:
      case 0xc7:
        operands();
        return skip(word());
      case 0x6b:
      case 0x80:
      case 0x83:
      case 0xc0:
      case 0xc1:
      case 0xc6:
        operands();
        return skip(1);
      case 0xf6:
      case 0xf7:
        operands();
        if ((out_.reg & 7) < 2) skip(opcode == 0xf6 ? 1 : word());
        return;
      case 0xc8:
        return skip(3);
      case 0xc2:
      case 0xca:
        skip(2);
        [[fallthrough]];
      case 0xc3:
      case 0xcb:
      case 0xcf:
        out_.kind = kind::leave;
        return;
      case 0xcc:
      case 0xf4:
        out_.kind = kind::stop;
        return;
      case 0xe0:
      case 0xe1:
      case 0xe2:
      case 0xe3:
        return branch(kind::branch, 1);
      case 0xe8:
        return branch(kind::call, 4);
      case 0xe9:
        return branch(kind::jump, 4);
      case 0xeb:
        return branch(kind::jump, 1);
      case 0xff:
        return through_memory();
      case 0x60:
      case 0x61:
      case 0x82:
      case 0x9a:
      case 0xce:
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xea:
        out_.kind = kind::unknown;
        return;
      default:
        return;
    }
  }

  void branch(kind what, std::size_t bytes) {
    out_.kind = what;
    out_.target = number(bytes);
    relative_ = true;
  }

  void through_memory() {
    operands();
    const unsigned what = out_.reg & 7u;
    if (what == 2 || what == 3) out_.kind = kind::call_indirect;
    if (what == 4 || what == 5) {
      relative_ = out_.rm.base == operand::next_instruction;
      out_.kind = relative_ ? kind::jump_outside : kind::jump_indirect;
      out_.target = out_.rm.distance;
    }
  }

  void second_map() {
    const std::uint8_t opcode = byte();
    out_.opcode = static_cast<std::uint16_t>(0x0f00 | opcode);
    if (opcode == 0x38) {
      byte();
      operands();
    } else if (opcode == 0x3a) {
      byte();
      operands();
      skip(1);
    } else if (opcode >= 0x80 && opcode < 0x90) {
      branch(kind::branch, 4);
    } else if (opcode == 0x0b) {
      out_.kind = kind::stop;
    } else if (!(opcode >= 0x05 && opcode <= 0x09) && opcode != 0x0e &&
               !(opcode >= 0x30 && opcode <= 0x37) && opcode != 0x77 &&
               !(opcode >= 0xa0 && opcode <= 0xa2) && !(opcode >= 0xa8 && opcode <= 0xaa) &&
               !(opcode >= 0xc8 && opcode <= 0xcf)) {
      operands();
      const bool has_number = opcode == 0x0f || (opcode >= 0x70 && opcode <= 0x73) ||
                              opcode == 0xa4 || opcode == 0xac || opcode == 0xba ||
                              opcode == 0xc2 || (opcode >= 0xc4 && opcode <= 0xc6);
      if (has_number) skip(1);
      if (opcode == 0xb9 || opcode == 0xff) out_.kind = kind::stop;
    }
  }

  void vector_opcode(std::uint8_t prefix) {
    const unsigned map = prefix == 0xc5 ? 1 : byte() & (prefix == 0x62 ? 7u : 0x1fu);
    skip(prefix == 0x62 ? 2 : 1);
    const std::uint8_t opcode = byte();
    if (map == 1 && opcode == 0x77) return;
    operands();
    const bool has_number =
        map == 3 || (map == 1 && ((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
                                  (opcode >= 0xc4 && opcode <= 0xc6)));
    if (has_number) skip(1);
  }

  std::string_view code_;
  std::size_t at_ = 0;
  std::uint8_t rex_ = 0;
  bool short_ = false, short_address_ = false, relative_ = false;
  instruction out_;
};

}  // namespace

instruction decode(std::string_view code) {
  return decoder(code).decode();
}

}  // namespace mallard::profile
