// Purpose: lets a thread's heap go when the thread ends.
#pragma once

namespace mallard::inline v1::detail {

// Lets the calling thread's heap go when the thread ends. Destructors of other thread-specific data
// may still allocate after that: the thread begins again, as often as the system calls back.
void end_heap_with_thread() noexcept;

// Call it where nothing can unload this code: then its memory goes with the process, else it goes
// back when a plug-in is unloaded.
void stays_loaded() noexcept;

// Call it in the child of a fork.
void forget_other_threads() noexcept;

// False for a thread that has ended as often as it may: nobody would take its heap again.
bool may_begin_thread() noexcept;

}  // namespace mallard::inline v1::detail
