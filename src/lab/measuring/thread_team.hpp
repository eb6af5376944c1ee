// Threads that start together.
#pragma once

#include <functional>

namespace mallard::lab {

// Makes `threads` threads, spreads them over the processors (left to itself, the scheduler may take
// longer to do so than they run), lets all of them call `prepare`, then `work`, with their number,
// and waits for them. Returns the seconds from the first one's start of `work` to the last one's
// end, on the clock on the wall. Throws the first exception of a thread, or std::system_error when
// there cannot be that many.
double run_team(unsigned threads, const std::function<void(unsigned)>& prepare,
                const std::function<void(unsigned)>& work);

}  // namespace mallard::lab
