// The end of a process that cannot measure what it was asked to.
#pragma once

#include <string_view>

namespace mallard::lab::malloc_work {

// Answers with the reason and ends the process, whichever thread found out and whatever the others
// do. Nothing is taken down: they may still be using it.
[[noreturn]] void give_up(std::string_view why);

}  // namespace mallard::lab::malloc_work
