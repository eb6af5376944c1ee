// Reads this process's own figures during the measurement, without allocating.
#pragma once

#include <cstdint>

#include "lab/mallocs/maps_reader.hpp"
#include "lab/mallocs/own_memory.hpp"

namespace mallard::lab::mallocs {

// The resident set without the kernel's own memory.
std::uint64_t resident_bytes(const own_memory& own);

// Its peak since the process began, or since restart_peak() if the system allows that.
std::uint64_t peak_resident_bytes(const own_memory& own);
void restart_peak();

// Without the bench's own range.
address_space read_address_space(const own_memory& own);

struct processor_seconds {
  double user;
  double system;
};
processor_seconds read_processor_seconds();

}  // namespace mallard::lab::mallocs
