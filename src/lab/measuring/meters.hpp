// The clock, and what is read beside it: resident set and page faults of this process.
#pragma once

#include <cstdint>

namespace mallard::lab {

// Processor time of this thread: what the work takes, however often others interrupt it.
double read_thread_seconds();

struct page_faults {
  std::uint64_t minor = 0;
  std::uint64_t major = 0;
};
page_faults read_page_faults();

// Resident set now, in bytes; 0 when the system does not tell.
std::uint64_t read_resident_bytes();

// Highest resident set since the process began, or since reset_peak_resident() where that works.
std::uint64_t read_peak_resident_bytes();

// Address space now, resident or not.
std::uint64_t read_address_space_bytes();

// Starts the peak anew. False when the kernel does not allow it.
bool reset_peak_resident();

}  // namespace mallard::lab
