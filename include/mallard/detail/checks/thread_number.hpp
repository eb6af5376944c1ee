// Purpose: a small number for each thread, which is reused when the thread has ended.
#pragma once

#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail {

inline constexpr unsigned most_thread_numbers = 256;

// 0: none, not yet or not any more.
MALLARD_STATIC_TLS
MALLARD_API extern constinit thread_local unsigned this_thread_number;

// Effects: gives the calling thread a number, unless it is ending or all are taken.
// Returns: the number, or 0.
unsigned number_this_thread() noexcept;

}  // namespace mallard::inline v1::detail
