// Purpose: tells before a program runs why a preloaded library could not record it.
#pragma once

#include <string>

namespace mallard::profile {

enum class obstacle {
  none,
  no_such_program,
  not_executable,  // a file or folder that cannot be executed
  static_program,  // no dynamic linker loads anything into it
  other_libc,      // its dynamic linker, such as musl's, cannot load glibc's libraries
  privileged,      // the dynamic linker ignores an ordinary user's preloads
  sanitized,       // its sanitizer's malloc must stay the program's
  own_malloc,      // calls inside the program do not leave it
  other_machine,   // the library is for another processor or address size
  unreachable,     // as another user, or in other namespaces, it cannot reach the recorder
  little_room,     // its address space is limited to less than the recording takes
  not_told,        // it is started with an environment that does not name the recording
};

struct program_check {
  obstacle what = obstacle::none;
  std::string file;       // the file to run
  std::string sanitizer;  // its name, for obstacle::sanitized
};

// The file that a shell would start for `word`; empty: there is none.
std::string find_program(const std::string& word);

// The program that a shell would start for `word`; for a script, its interpreter.
program_check check_program(const std::string& word);

// Whether the dynamic symbols of a program or library define `malloc`.
bool defines_malloc(const std::string& file);

// One line for the user.
std::string describe(const program_check& found);

}  // namespace mallard::profile
