// Names the malloc that this process runs on.
#pragma once

#include <filesystem>
#include <string>

namespace mallard::lab {

// The file that malloc comes from; empty when the system does not tell.
std::filesystem::path malloc_file();

// "glibc" for the system's own, else the library's name: "jemalloc" for .../libjemalloc.so.2.
std::string malloc_name();

// The same for the file of a malloc.
std::string malloc_name(const std::filesystem::path& file);

// Whether a library has taken the place of the system's malloc.
bool malloc_is_replaced();

// "jemalloc" for "libjemalloc.so.2".
std::string library_name(const std::filesystem::path& file);

}  // namespace mallard::lab
