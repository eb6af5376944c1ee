#include "mallard/detail/resources/thread_heap.hpp"

#include "mallard/detail/core/known_memory.hpp"
#include "mallard/detail/resources/thread_heaps.hpp"

namespace mallard::inline v1::detail {

thread_heap::~thread_heap() {
  known_memory::remove(this);
}

heap_list<thread_heap>& thread_heap::list() const noexcept {
  return resource->list();
}

// Slabs that do not go to upstream stay with the heap, for its next thread.
bool thread_heap::may_leave_slabs() const noexcept {
  return !resource->keeps_every_slab();
}

void thread_heap::give_run(void* const* first, void* const* last, unsigned size_class) noexcept {
  for (; first != last; ++first) give(*first, size_class);
}

}  // namespace mallard::inline v1::detail
