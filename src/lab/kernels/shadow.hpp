// Binds a peer's resource by type.
#pragma once

#include <cstddef>

namespace mallard::lab {

// A peer's resource with non-virtual allocate and deallocate that call its implementation directly.
// So a peer bound by type pays for no virtual call, and may be inlined.
template <class Resource>
class shadow final : public Resource {
 public:
  using Resource::Resource;
  void* allocate(std::size_t bytes, std::size_t alignment) {
    return Resource::do_allocate(bytes, alignment);
  }
  void deallocate(void* block, std::size_t bytes, std::size_t alignment) {
    Resource::do_deallocate(block, bytes, alignment);
  }
};

}  // namespace mallard::lab
