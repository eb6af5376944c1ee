// Purpose: records the program's stack once for every period of its processor time.
#pragma once

namespace mallard::recorder {

// Call it at the beginning of a recording. If the session wants samples, threads get timers.
void prepare_cpu_samples() noexcept;
// Call it at the end, on any thread: deletes the timers of all threads.
void end_cpu_samples() noexcept;

}  // namespace mallard::recorder
