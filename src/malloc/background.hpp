// Purpose: a thread that gives memory back while the program calls nothing, if an option asks for
// it. Without it only the calls of the program's own threads do that.
#pragma once

namespace mallard::inline v1::detail {

// Starts the thread, and again in the children of forks once they allocate.
void start_background() noexcept;
// Call it before the code is unloaded, or the process ends.
void end_background() noexcept;
// Call it when the last thread that it might serve ends: it stops until another one allocates.
void pause_background() noexcept;
// Call it when a thread ends that it might serve.
void note_end_of_thread() noexcept;
// Call it in the child of a fork, which does not have the thread.
void forget_background() noexcept;

// Whether the thread looks after idle memory, so that the caller need not. Wakes it if it sleeps.
// The caller holds no lock. `may_start`: a thread of a fork's child may start another one here.
bool background_looks(bool may_start) noexcept;

}  // namespace mallard::inline v1::detail
