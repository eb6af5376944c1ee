// Purpose: what may be set from outside, by the environment variable MALLARD_MALLOC.
#pragma once

namespace mallard::inline v1::detail {

// Once, as the process starts. What is not understood is named in one line and left out.
void read_options() noexcept;

}  // namespace mallard::inline v1::detail
