// Purpose: a thread that gives memory back while the program calls nothing, if an option asks for
// it. Without it the calls of the program's own threads do that, and none of them where there are
// no calls.
#pragma once

namespace mallard::inline v1::detail {

// Starts the thread, now and in the children of forks once they allocate.
void start_background() noexcept;
// Before the code goes, or the process ends.
void end_background() noexcept;
// When the last thread that it might serve ends: until another one allocates.
void pause_background() noexcept;
// A thread ends that it might serve.
void note_end_of_thread() noexcept;
// In the child of a fork, where the thread is not there.
void forget_background() noexcept;

// Whether the thread looks after idle memory, so that the caller need not. Wakes it if it sleeps.
// The caller holds no lock. `may_start`: a thread of the child of a fork may start another one
// here.
bool background_looks(bool may_start) noexcept;

}  // namespace mallard::inline v1::detail
