// Purpose: says what is wrong with an address that was freed or asked about, and ends the program.
#pragma once

namespace mallard::inline v1::detail {

enum class huge_state : unsigned char { unknown, in_use, gone, around };

// No block in use begins at `p`. `huge` describes the huge block that begins exactly there, or that
// is around it.
[[noreturn]] void report_misuse(const char* verb, const void* p, huge_state huge) noexcept;

}  // namespace mallard::inline v1::detail
