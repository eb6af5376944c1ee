// Purpose: what happens to all state when the process forks.
#pragma once

namespace mallard::inline v1::detail {

// Once, as the process starts.
void register_fork_handlers() noexcept;

}  // namespace mallard::inline v1::detail
