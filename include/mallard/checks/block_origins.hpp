// Purpose: finds the resource of each block of an object, to test types that take an allocator.
//
//   mallard::test_resource here({.name = "here"});
//   std::pmr::vector<std::pmr::string> names(&here);
//   names.emplace_back("a name that is too long for the string object itself");
//   for (const auto& b : mallard::origins_of(names)) std::puts(b.resource->name());  // here, here
//   assert(mallard::strangers_in(names, here).empty());
//
// The search for pointers covers the object and every block that can be reached from it. It misses
// pointers that are kept elsewhere or encoded, and takes a number that looks like a pointer for
// one. It knows the blocks of each test_resource and checked<>; to see those of the default
// resource, make one the default by a default_resource_guard. It does not see blocks of malloc or
// of other resources.
//
// Complexity: O(blocks of all test resources + bytes searched). Thread-safety: nobody may change
// the object, or destroy a test_resource, meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "mallard/checks/call_stack.hpp"
#include "mallard/checks/checked.hpp"
#include "mallard/checks/test_resource.hpp"
#include "mallard/detail/config.hpp"

namespace mallard::inline v1 {

struct MALLARD_API block_origin {
  const void* block = nullptr;
  std::size_t bytes = 0;
  std::uint64_t serial = 0;  // of its allocation
  const test_resource* resource = nullptr;
  call_stack given;
};

namespace detail {

// Takes the vector as an argument, so that code with another std::vector (_GLIBCXX_DEBUG) does not
// link.
MALLARD_API void find_origins(const void* object, std::size_t bytes,
                              std::vector<block_origin>& found);

}  // namespace detail

// Returns: the blocks that can be reached from `bytes` bytes at `object`, by resource and serial.
// Errors: std::bad_alloc.
inline std::vector<block_origin> origins_of(const void* object, std::size_t bytes) {
  std::vector<block_origin> found;
  detail::find_origins(object, bytes, found);
  return found;
}

template <class T>
std::vector<block_origin> origins_of(const T& object) {
  return origins_of(static_cast<const void*>(&object), sizeof object);
}

// Returns: the object's blocks that are not from `home`; none if everything was passed on.
template <class T>
std::vector<block_origin> strangers_in(const T& object, const test_resource& home) {
  std::vector<block_origin> all = origins_of(object);
  std::erase_if(all, [&](const block_origin& b) { return b.resource == &home; });
  return all;
}
template <class T, class R>
std::vector<block_origin> strangers_in(const T& object, const checked<R>& home) {
  return strangers_in(object, home.checks());
}

// Effects: prints a line for each block, and the stack of its allocation.
MALLARD_API void print(const std::vector<block_origin>& blocks, std::FILE* to) noexcept;

}  // namespace mallard::inline v1
