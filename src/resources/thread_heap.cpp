#include "mallard/detail/resources/thread_heap.hpp"

#include "mallard/detail/core/known_memory.hpp"

namespace mallard::inline v1::detail {

thread_heap::~thread_heap() {
  known_memory::remove(this);
}

classed_block* thread_heap::link(void* p, unsigned size_class, classed_block* next) noexcept {
  unpoison(p, sizeof(classed_block));
  auto* const block = ::new (p) classed_block{next, size_class};
  return block;
}

void thread_heap::send(void* p, unsigned size_class) noexcept {
  thread_heap* const to = owner_of(p, size_class);
  if (to != outgoing_.to || outgoing_.count == longest_batch) flush();
  outgoing_.to = to;
  outgoing_.first = link(p, size_class, outgoing_.first);
  if (outgoing_.last == nullptr) outgoing_.last = outgoing_.first;
  ++outgoing_.count;
}

void thread_heap::flush() noexcept {
  if (outgoing_.count != 0) outgoing_.to->incoming_.push(outgoing_.first, outgoing_.last);
  outgoing_ = {};
}

void thread_heap::send_alone(void* p, unsigned size_class) noexcept {
  thread_heap* const to = owner_of(p, size_class);
  classed_block* const block = link(p, size_class, nullptr);
  to->incoming_.push(block, block);
}

void thread_heap::collect_all() noexcept {
  classed_block* block = incoming_.take_all();
  while (block != nullptr) {
    const auto size_class = static_cast<unsigned>(block->size_class);
    classed_block* const next_block = block->next;
    poison(block, sizeof(classed_block));
    // The slab may have changed hands while the block was under way.
    if (owner_of(block, size_class) == this) {
      give(block, size_class);
    } else {
      send(block, size_class);
    }
    block = next_block;
  }
}

}  // namespace mallard::inline v1::detail
