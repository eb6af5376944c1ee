// Names the malloc that this process runs on.
#pragma once

#include <filesystem>
#include <string>

namespace mallard::lab {

// The file that malloc comes from; empty if unknown.
std::filesystem::path malloc_file();

// "glibc" for the system's own, otherwise the library's name: "jemalloc" for .../libjemalloc.so.2.
std::string malloc_name();

// The same for a malloc's file.
std::string malloc_name(const std::filesystem::path& file);

// Whether a library replaces the system's malloc.
bool malloc_is_replaced();

// "jemalloc" for "libjemalloc.so.2".
std::string library_name(const std::filesystem::path& file);

}  // namespace mallard::lab
