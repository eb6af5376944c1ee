// Purpose: functions that say when they begin, so that no stack has to be searched for them.
//
// The first bytes of such a function are moved to another place, and a jump to a few instructions
// of ours stands there instead: they note where on the stack the call's return address lies, and go
// on with the moved bytes. An invocation lasts as long as the stack reaches below that place and
// the return address is still in it: that is one comparison for an allocation, where a search
// compares each frame. The function's end is not touched, so exceptions and coroutines pass.
//
// The call has to name the function: another one that is called through the same pointer would have
// the same return address in the same place. Where it does not, the stack has to be searched. An
// address that a later frame leaves in that place may look like an invocation that goes on: then a
// block may take the wrong route, which harms no program.
#pragma once

#include <cstddef>
#include <cstdint>

#include "route/session.hpp"

namespace mallard::route {

// The outermost invocation of a condition's functions that a thread began last. The code that notes
// it knows this layout.
struct entered_scope {
  std::uint64_t place;   // of its return address; 0: none yet
  std::uint64_t caller;  // the return address
  std::uint64_t serial;  // another one for each invocation

  static constexpr std::uint64_t largest_stack = std::uint64_t{8} << 20;

  // Its number, if the thread whose stack pointer this is has not returned from it; else 0.
  std::uint64_t goes_on(std::uint64_t sp) const noexcept {
    const bool is_above = place - sp - 1 < largest_stack;
    return is_above && *reinterpret_cast<const std::uint64_t*>(place) == caller ? serial : 0;
  }
};

// By condition.
extern thread_local constinit entered_scope entered_scopes[most_entered]
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// Effects: has the program's functions note when they begin, if this process is of that program.
// False: one could not be changed, so nothing is known of it. Only one thread may be there.
bool note_entries(session& all) noexcept;

}  // namespace mallard::route
