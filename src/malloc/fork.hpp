// Purpose: keeps all state intact when the process forks.
#pragma once

namespace mallard::inline v1::detail {

// Call it once, as the process starts.
void register_fork_handlers() noexcept;

}  // namespace mallard::inline v1::detail
