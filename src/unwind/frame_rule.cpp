// Finds an address's entry: the module by the dynamic linker's own look-up, which takes no lock,
// the entry by the sorted table of .eh_frame_hdr.
#include "unwind/frame_rule.hpp"

#include <cstring>

#include "unwind/cfa_program.hpp"
#include "unwind/module_of.hpp"
#include "unwind/readable_range.hpp"

namespace mallard::unwind {
namespace {

#if defined(__x86_64__) || defined(__aarch64__)
struct table_row {
  std::int32_t start;  // both relative to the header
  std::int32_t entry;
};

// The header says how it is written; every linker writes it in this way.
constexpr std::uint8_t pc_relative_4 = 0x1b;
constexpr std::uint8_t unsigned_4 = 0x03;
constexpr std::uint8_t header_relative_4 = 0x3b;

#endif

#if defined(__aarch64__)
// The kernel's code that handlers of signals return to has no table.
bool is_end_of_handler(std::uint64_t ip) noexcept {
  constexpr std::uint64_t sigreturn = 0xd400'0001'd280'1168;  // mov x8, #139; svc #0
  const std::uint64_t at = (ip + 3) & ~std::uint64_t{3};  // `ip` may be that of a call before it
  if (!can_read(at) || !can_read(at + 4)) return false;
  std::uint64_t code = 0;
  std::memcpy(&code, reinterpret_cast<const void*>(at), sizeof code);
  return code == sigreturn;
}
#elif defined(__x86_64__)
bool is_end_of_handler(std::uint64_t) noexcept {
  return false;
}
#endif

}  // namespace

#if defined(__x86_64__) || defined(__aarch64__)
frame_rule find_frame_rule(const std::uint8_t* header, std::uint64_t ip) noexcept {
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

frame_rule find_frame_rule(std::uint64_t ip) noexcept {
#if defined(__x86_64__) || defined(__aarch64__)
  const module_range module = module_of(ip);
  frame_rule found = find_frame_rule(static_cast<const std::uint8_t*>(module.frame_table), ip);
  if (found.how == frame_rule::address::not_described && is_end_of_handler(ip)) {
    found.how = frame_rule::address::signal;
  }
  return found;
#else
  (void)ip;
  return frame_pointer_rule;
#endif
}

}  // namespace mallard::unwind
