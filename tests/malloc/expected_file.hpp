// The file of the process's malloc; each test program has its own.
#pragma once

namespace malloc_test {

// Part of the file's name.
extern const char* const expected_file;

}  // namespace malloc_test
