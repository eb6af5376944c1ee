// One repetition on one malloc: a program of its own, started with the library preloaded.
#pragma once

#include <filesystem>

#include "lab/allocators.hpp"
#include "lab/malloc_work/job.hpp"

namespace mallard::lab {

// Starts `program`, which does what work_process.hpp says, on the allocator, and waits for its
// answer. A library that is not there or is no malloc, a crash and a timeout are errors in the
// outcome. When a signal interrupts the wait, `interrupted` asks whether to give up.
malloc_outcome run_malloc_job(const std::filesystem::path& program, const allocator_library& on,
                              const malloc_job& what, double timeout_seconds,
                              bool (*interrupted)());

}  // namespace mallard::lab
