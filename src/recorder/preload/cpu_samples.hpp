// Purpose: the program's stack whenever its processor time has gone on by so much.
#pragma once

namespace mallard::recorder {

// At the beginning of a recording. If the session wants samples, threads get timers.
void prepare_cpu_samples() noexcept;
// At its end, from any thread: ends the timers of all threads.
void end_cpu_samples() noexcept;

}  // namespace mallard::recorder
