// Purpose: how much memory there is, how much the process may have, and how much it had.
#pragma once

#include <cstddef>

namespace mallard::inline v1::detail::os {

std::size_t physical_memory_bytes() noexcept;
// Memory that the process may have: that of the machine, or less in a control group with a limit.
// Reads files.
std::size_t most_memory() noexcept;
// Bytes of addresses, or of those that may be written to, that the process may have; SIZE_MAX
// without a limit.
std::size_t most_addresses() noexcept;
// Mappings that a process may have. Reads a file; if it cannot, what most systems allow.
inline constexpr std::size_t usual_mappings = 65'530;
std::size_t most_mappings() noexcept;
// The most memory that the process ever had resident; SIZE_MAX if the system does not say.
std::size_t peak_resident_bytes() noexcept;

}  // namespace mallard::inline v1::detail::os
