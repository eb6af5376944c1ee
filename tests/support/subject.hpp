// A resource under test seen through all of its verbs, without its type: the checks are compiled
// once and run over any resource.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <memory_resource>
#include <string>

namespace mallard_test {

// The verbs a resource may or may not have, as bits.
enum verb : unsigned {
  none = 0,
  can_try_allocate = 1,
  can_release = 2,
  can_rewind = 4,
  can_mark = 8,
  can_reset = 16,
  can_trim = 32,
  can_resize = 64,
};

class subject {
 public:
  virtual ~subject() = default;

  // The resource held as an abstract base.
  virtual std::pmr::memory_resource& base() = 0;

  // The members of the type itself, which may hide those of the base.
  virtual void* allocate(std::size_t bytes, std::size_t alignment) = 0;
  virtual void deallocate(void* p, std::size_t bytes, std::size_t alignment) = 0;

  // Fills and empties the standard containers over allocators that know the type.
  virtual void use_containers() = 0;

  // Only to be called when the resource has the verb.
  virtual void* try_allocate(std::size_t bytes, std::size_t alignment) = 0;
  virtual void release() = 0;
  virtual void rewind() = 0;
  virtual void push_mark() = 0;
  virtual void rewind_to_last_mark() = 0;
  virtual void drop_last_mark() = 0;
  virtual void reset(std::size_t keep_bytes) = 0;
  virtual void trim() = 0;
  virtual bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes) = 0;
  virtual void shrink(void* p, std::size_t old_bytes, std::size_t new_bytes) = 0;
};

// One row of the conformance table.
struct resource_case {
  std::string name;
  unsigned verbs = none;
  bool uses_upstream = false;            // its memory comes from the upstream it is made with
  bool directly = true;                  // what it gives back reaches that upstream at once
  bool deallocate_is_noop = false;       // memory comes back by release or rewind only
  bool pools = false;                    // keeps lists of free blocks, whose cost can be looked at
  bool composed = false;                 // of rows that go through all of the suite themselves
  std::size_t first_upstream_bytes = 0;  // this much may be given before upstream is asked
  std::function<std::unique_ptr<subject>(std::pmr::memory_resource* upstream)> make;

  bool has(unsigned wanted) const { return (verbs & wanted) == wanted; }
};

}  // namespace mallard_test
