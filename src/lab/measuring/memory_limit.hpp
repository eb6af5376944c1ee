// Limits the memory of a measuring process.
#pragma once

#include <cstdint>

namespace mallard::lab {

// Limits the address space of this process from now on; 0: no limit.
void limit_memory(std::uint64_t bytes);

}  // namespace mallard::lab
