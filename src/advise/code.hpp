// The code to write in a program so that it does what is advised. Every piece of C++ is the inside
// of a function and compiles as it stands, with its includes before it: tests/advise compiles them
// all.
#pragma once

#include <string>

#include "advise/advice.hpp"

namespace mallard::advise {

// C++ for a resource, a line for a shell to switch malloc, nothing to leave it. `command`: of the
// program, for the shell.
std::string code_for(const candidate& what, const std::string& command);

}  // namespace mallard::advise
