// Reads function names as symbols and debug information give them.
#pragma once

#include <string>
#include <string_view>

namespace mallard::profile {

// Whether a function is one of a thread's first: _start, the caller of main, the caller of a
// thread's function.
bool is_start_of_thread(std::string_view function_name);
// Whether a function is the heap's or lies between it and the code that wanted memory: malloc,
// operator new, allocators. Lists by function skip these.
bool is_allocation_function(std::string_view function_name);

// Whether code is from a library's header compiled into the program, which readers of the program
// cannot change. `file`: of the function's lines; if empty, the name decides.
bool is_of_library_header(std::string_view function_name, std::string_view file);

// The name that other tools give a frame without one: "??? (libselinux.so.1)".
std::string nameless_in(std::string_view module);
// Whether a name is such a one, or a module and an offset such as "libstdc++.so.6+0xd4490", for
// lack of a symbol.
bool is_nameless(std::string_view function_name);

// The last part of a path.
std::string file_name(const std::string& path);
// A part that the compiler split off counts as the function itself.
std::string_view without_clone(std::string_view function_name);
// "a::b" of "void a::b::f<c::d>(int)"; empty for a global function.
std::string namespace_of(const std::string& function_name);
// The function's name without return type, parameters and template arguments.
std::string short_name(const std::string& function_name);

}  // namespace mallard::profile
