// Names of addresses that a profile has without: looked up in the files that were mapped there.
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
  std::uint64_t offset = 0;  // in the file, of what lies at `begin`
  std::string path = {};
  std::string build_id = {};  // bytes; empty: any file of that path will do
};

// The functions at a return address: the innermost first, which is inlined into the next.
using names_by_address = std::unordered_map<std::uint64_t, std::vector<function_name>>;

// Nothing where a file is not there, or has no name for the address.
names_by_address find_mapped_names(const std::vector<mapped_file>& files,
                                   std::span<const std::uint64_t> return_addresses);

}  // namespace mallard::profile
