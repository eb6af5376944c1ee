// Reads the names of functions, as symbols and debug information have them.
#pragma once

#include <string>
#include <string_view>

namespace mallard::profile {

// The names of a thread's first frames: _start, what calls main, what calls a thread's function.
bool is_start_of_thread(std::string_view function_name);
// Entry points of the heap and what stands between them and the code that wanted memory:
// malloc, operator new, allocators. Lists by function pass over them.
bool is_allocation_function(std::string_view function_name);

// Code of a library's header, compiled into the program: nobody who reads the program can change
// it. `file`: of the function's lines, may be empty; then the name tells.
bool is_of_library_header(std::string_view function_name, std::string_view file);

// Other tools' name of a frame without one: "??? (libselinux.so.1)".
std::string nameless_in(std::string_view module);
// Such a name; or "libstdc++.so.6+0xd4490", a module and an offset, where there is no symbol.
bool is_nameless(std::string_view function_name);

// The last part of a path.
std::string file_name(const std::string& path);
// A part that the compiler split off is still the function it was split from.
std::string_view without_clone(std::string_view function_name);
// "a::b" of "void a::b::f<c::d>(int)"; empty for a global function.
std::string namespace_of(const std::string& function_name);
// The function's name without return type, parameters and template arguments.
std::string short_name(const std::string& function_name);

}  // namespace mallard::profile
