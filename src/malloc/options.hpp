// Purpose: the options in the environment variable MALLARD_MALLOC.
#pragma once

namespace mallard::inline v1::detail {

// Call it once, as the process starts. Names each option that is not understood in one line.
void read_options() noexcept;

}  // namespace mallard::inline v1::detail
