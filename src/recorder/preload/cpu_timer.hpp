// Purpose: where the program spends its processor time: each thread has a timer on its own
// processor clock, whose signal asks for the stack. The signal is a real-time one that the program
// does not use; SIGPROF may be the program's own.
#pragma once

namespace mallard::recorder {

// Takes a signal, if samples are wanted.
void install_cpu_signal() noexcept;
// Starts the calling thread's timer. It ends with the thread, and is not inherited by fork.
void start_cpu_timer() noexcept;

}  // namespace mallard::recorder
