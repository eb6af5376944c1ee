// Purpose: the exception of the kinds of memory, with the system's own message.
//
//   try {
//     mallard::mapped_resource memory({.limit_bytes = 0});
//   } catch (const mallard::memory_error& e) {
//     assert(e.fault() == mallard::memory_fault::bad_limit);
//     assert(e.code() == std::errc::invalid_argument);
//   }
//
// Complexity: O(1); allocates nothing. Thread-safety: as any exception object.
#pragma once

#include <new>
#include <system_error>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1 {

enum class memory_fault {
  refused,        // by the system: see code()
  full,           // the limit is reached, or all free pieces are too small
  bad_size,       // no object can be so large
  bad_alignment,  // not a power of two, or more than the kind supports
  bad_limit,      // 0, or too small for the kind's own data, or too large for its addresses
  bad_name,       // null, empty, too long, or with characters that it may not have
  not_available,  // the machine or its kernel has no such thing
  not_writable,   // protected, or mapped without the right to write
  not_memory,     // a descriptor that cannot be mapped and grown
  exists,         // already there, but was to be made
  wrong_file,     // made by something else
  wrong_version,  // made by a version with another layout
  wrong_type,     // a root that was made as another type
  cut,            // shorter than it says
  damaged,        // its own data contradict each other
  not_closed,     // its last user ended without closing it
  in_use,         // somebody else has it
};

// Returns: the fault's name as spelt above.
MALLARD_API const char* to_string(memory_fault fault) noexcept;

// Memory could not be obtained, or not as requested. `what()` says who requested what, and ends
// with the system's message for `code()`.
class MALLARD_API memory_error : public std::bad_alloc {
 public:
  // `error` is an errno. `who` and `doing` are copied, and shortened if need be.
  memory_error(memory_fault fault, int error, const char* who, const char* doing) noexcept;
  memory_error(const memory_error&) noexcept = default;
  memory_error& operator=(const memory_error&) noexcept = default;
  ~memory_error() override;

  memory_fault fault() const noexcept { return fault_; }
  std::error_code code() const noexcept { return {error_, std::generic_category()}; }
  const char* what() const noexcept override { return text_; }

 private:
  memory_fault fault_;
  int error_;
  char text_[240];
};

}  // namespace mallard::inline v1
