// The clock, and further readings: resident set and page faults of this process.
#pragma once

#include <cstdint>

namespace mallard::lab {

// Processor time of this thread, which excludes interruptions by others.
double read_thread_seconds();

struct page_faults {
  std::uint64_t minor = 0;
  std::uint64_t major = 0;
};
page_faults read_page_faults();

// The current resident set in bytes; 0 if unknown.
std::uint64_t read_resident_bytes();

// The largest resident set since the process began, or since reset_peak_resident() if that works.
std::uint64_t read_peak_resident_bytes();

// The current address space, resident or not.
std::uint64_t read_address_space_bytes();

// Restarts the peak. Returns: false if the kernel does not allow it.
bool reset_peak_resident();

}  // namespace mallard::lab
