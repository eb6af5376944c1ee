// Purpose: where the program spends its processor time: each thread has a timer on its own
// processor clock, whose signal asks for the stack. The signal is one that the C library keeps from
// programs; SIGPROF may be the program's own.
#pragma once

namespace mallard::recorder {

// Once for a process, if samples are wanted.
void prepare_cpu_timers() noexcept;
// Starts the calling thread's timer. It ends with the thread, and is not inherited by fork.
void start_cpu_timer() noexcept;
// Ends the timers of all threads. The signal's handler stays: a signal may be on its way.
void delete_cpu_timers() noexcept;
// Takes the signal again where the C library has taken it since. Called now and then.
void keep_cpu_signal() noexcept;

}  // namespace mallard::recorder
