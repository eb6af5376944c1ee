// Purpose: the objects that are made to be winked out. A checked resource runs their destructors
// after all, and watches them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "mallard/checks/test_resource.hpp"
#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail {

// All but `wink_out` may be called from any thread.
class MALLARD_API made_objects {
 public:
  using destructor = void (*)(void* object);

  // Faults go to the handler of `memory`, which the objects are in.
  explicit made_objects(test_resource& memory) noexcept : memory_(memory) {}
  made_objects(const made_objects&) = delete;
  made_objects& operator=(const made_objects&) = delete;
  ~made_objects();

  struct made_object {
    void* object;
    std::size_t bytes, alignment;
    destructor destroy;  // null if there is nothing to do
    const char* type;    // its name, mangled
  };
  // Effects: `wink_out` will destroy it. Without memory, the object is not checked.
  void add(const made_object& made) noexcept;
  // Effects: forgets an object that was destroyed otherwise.
  void remove(void* object) noexcept;
  std::size_t made() const noexcept;  // so far, in the order of making
  // Effects: destroys those made as number `first` or later, the newest first, under watch, and
  // gives their memory back.
  void wink_out(std::size_t first = 0);

 private:
  struct state;

  bool take_newest(std::size_t first, made_object& what) noexcept;
  void destroy(const made_object& what);

  test_resource& memory_;
  mutable std::mutex lock_;  // of what follows
  state* state_ = nullptr;   // from the first one on
};

}  // namespace mallard::inline v1::detail
