// Finds an address's entry: the module by the dynamic linker's own look-up, which takes no lock,
// the entry by the sorted table of .eh_frame_hdr.
#include "unwind/frame_rule.hpp"

#include <cstring>

#include "unwind/cfa_program.hpp"
#include "unwind/module_of.hpp"

namespace mallard::unwind {
namespace {

#if defined(__x86_64__)
struct table_row {
  std::int32_t start;  // both relative to the header
  std::int32_t entry;
};

// The header says how it is written; every linker writes it in this way.
constexpr std::uint8_t pc_relative_4 = 0x1b;
constexpr std::uint8_t unsigned_4 = 0x03;
constexpr std::uint8_t header_relative_4 = 0x3b;

frame_rule by_table(const std::uint8_t* header, std::uint64_t ip) {
  frame_rule out;
  out.how = frame_rule::address::not_described;
  if (header == nullptr || header[0] != 1 || header[1] != pc_relative_4 ||
      header[2] != unsigned_4 || header[3] != header_relative_4) {
    return out;
  }
  std::uint32_t count = 0;
  std::memcpy(&count, header + 8, 4);
  const table_row* const rows = reinterpret_cast<const table_row*>(header + 12);
  const std::int64_t wanted =
      static_cast<std::int64_t>(ip) - reinterpret_cast<std::int64_t>(header);
  std::uint32_t first = 0;  // the first row that starts after the address
  for (std::uint32_t left = count; left != 0;) {
    const std::uint32_t half = left / 2;
    if (rows[first + half].start <= wanted) {
      first += half + 1;
      left -= half + 1;
    } else {
      left = half;
    }
  }
  return first == 0 ? out : rule_of_entry(header + rows[first - 1].entry, ip);
}
#endif

}  // namespace

frame_rule find_frame_rule(std::uint64_t ip) noexcept {
#if defined(__x86_64__)
  const module_range module = module_of(ip);
  return by_table(static_cast<const std::uint8_t*>(module.frame_table), ip);
#else
  (void)ip;
  return frame_pointer_rule;
#endif
}

}  // namespace mallard::unwind
