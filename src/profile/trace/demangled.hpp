// Purpose: the names that people gave to what linkers call otherwise.
#pragma once

#include <string>

namespace mallard::profile {

// "operator new(unsigned long)" for "_Znwm"; a name that C++ did not make stays as it is: "f" is a
// function of C, not the type float.
std::string demangled(const char* symbol);

}  // namespace mallard::profile
