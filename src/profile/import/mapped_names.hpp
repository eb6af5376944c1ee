// Names of addresses in a profile without symbols, from the files that were mapped there.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "profile/views/stack_profile.hpp"

namespace mallard::profile {

struct mapped_file {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t offset = 0;  // in the file, of the byte at `begin`
  std::string path = {};
  std::string build_id = {};  // bytes; empty: any file with that path will do
};

// The functions at a return address, the innermost first; each is inlined into the next.
using names_by_address = std::unordered_map<std::uint64_t, std::vector<function_name>>;

// Leaves out addresses without a name, and those of missing files.
names_by_address find_mapped_names(const std::vector<mapped_file>& files,
                                   std::span<const std::uint64_t> return_addresses);

}  // namespace mallard::profile
