// Purpose: what of a program cannot be recorded by preloading a library, found out before it runs.
#pragma once

#include <string>

namespace mallard::profile {

enum class obstacle {
  none,
  no_such_program,
  not_executable,  // there is a file, or a folder, but nobody can start it
  static_program,  // no dynamic linker loads anything into it
  other_libc,      // its dynamic linker, as musl's, cannot load what is made for glibc
  privileged,      // the dynamic linker ignores what an ordinary user preloads
  sanitized,       // its sanitizer's malloc has to be the program's
  own_malloc,      // calls inside the program do not leave it
  other_machine,   // what is preloaded is not for its processor or its size of addresses
  unreachable,     // as another user, or in other namespaces, it does not reach the recorder
  little_room,     // its address space is limited to less than the recording takes
  not_told,        // it is started with an environment that says nothing of the recording
};

struct program_check {
  obstacle what = obstacle::none;
  std::string file;       // that would be run
  std::string sanitizer;  // of obstacle::sanitized, its name
};

// The program that `word` starts, by the rules of the shell; of a script, its interpreter.
program_check check_program(const std::string& word);

// One line for the user.
std::string describe(const program_check& found);

}  // namespace mallard::profile
