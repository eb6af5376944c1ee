// Purpose: .eh_frame's descriptions of frames, read: an entry, its common part, and the little
// program that says where the frame's parts are at each address (DWARF 5, 6.4; LSB, 10.6).
#pragma once

#include <cstdint>

#include "unwind/frame_rule.hpp"

namespace mallard::unwind {

// Bytes that are read on and on. Reading past the end gives zeros and is remembered.
class byte_reader {
 public:
  byte_reader(const std::uint8_t* at, const std::uint8_t* end) : at_(at), end_(end) {}

  bool more() const { return at_ < end_; }
  const std::uint8_t* at() const { return at_; }
  void skip(std::uint64_t bytes);
  template <class T>
  T get();
  std::uint64_t unsigned_number();  // LEB128
  std::int64_t signed_number();
  std::uint64_t pointer(std::uint8_t encoding);  // DW_EH_PE_*; 0 for what is omitted or indirect

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

// The rule at `ip` by the entry at `fde`, or `not_described` when the entry is of other addresses.
frame_rule rule_of_entry(const std::uint8_t* fde, std::uint64_t ip) noexcept;

}  // namespace mallard::unwind
