// Purpose: the options in the environment variable MALLARD_MALLOC.
#pragma once

namespace mallard::inline v1::detail {

// Call it once, as the process starts. Names each option that is not understood in one line.
void read_options() noexcept;

// Call it in a fork's child: closes the copy of the standard error that statistics at exit would
// take, so that a daemon holds nothing open that it does not know of.
void close_stats_copy() noexcept;

}  // namespace mallard::inline v1::detail
