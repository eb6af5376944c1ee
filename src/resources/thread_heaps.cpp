// Each thread gets a heap of its own: the pools of a resource for one thread, whose slabs name it
// as their owner. Its calls find it in a small table by the resource's identity, and take no lock.
// threads/sharing_heap.hpp describes what threads do with each other's heaps. One lock for the
// program, the registry's, guards who has which heap and the lists of them; it is never held while
// upstream runs. A thread that ends may still use a resource that is about to be destroyed: it
// counts as a visitor, and is waited for.
#include "mallard/detail/resources/thread_heaps.hpp"

#include <atomic>

#include "mallard/detail/core/known_memory.hpp"
#include "mallard/detail/core/or_with_room.hpp"
#include "mallard/detail/os/futex.hpp"
#include "mallard/detail/os/pages.hpp"
#include "mallard/detail/resources/heap_registry.hpp"
#include "mallard/detail/resources/locked_blocks.hpp"

namespace mallard::inline v1::detail {
namespace {

void add(slab_usage& sum, const slab_usage& one) noexcept {
  sum.slabs += one.slabs;
  sum.empty_slabs += one.empty_slabs;
  sum.reserved_bytes += one.reserved_bytes;
  sum.taken_bytes += one.taken_bytes;
}

}  // namespace

thread_heaps::thread_heaps(std::pmr::memory_resource* upstream, std::size_t reserve_limit,
                           bool upstream_ignores) noexcept
    : identity_(new_identity()),
      reserve_limit_(reserve_limit),
      upstream_ignores_(upstream_ignores),
      upstream_(upstream),
      source_(upstream_.source()),
      first_(*this, source_, reserve_limit),
      orphans_(*this, source_, keep_every_slab) {
  list_.make_common(orphans_);
  list_.add(first_);
  list_.let_wait(first_);
  hold_resources_across_fork();
  const std::lock_guard hold(registry_lock());
  enroll(*this);
}

thread_heaps::~thread_heaps() {
  detach_all();
  {
    const std::lock_guard hold(registry_lock());
    strike_off(*this);
  }
  give_back_all();
}

// Calls `work` with the thread's heap or, when the thread is ending, with one borrowed for the
// call, which is left to other threads afterwards.
template <class Work>
auto thread_heaps::with_heap(thread_heap* mine, Work&& work) {
  if (mine == nullptr) mine = begin_thread();
  if (mine != nullptr) return work(*mine);
  struct borrowed {
    thread_heap& heap;
    ~borrowed() { heap.resource->orphan(heap); }
  };
  const borrowed one{any_heap()};
  return work(one.heap);
}

void* thread_heaps::allocate_slow(thread_heap* mine, unsigned size_class) {
  const auto refill = [this](thread_heap& heap, unsigned c) {
    prepare(heap, c);
    return or_with_room([&] { return make_room(&heap); }, [&] { return heap.take(c); });
  };
  if (mine != nullptr) return refill(*mine, size_class);
  return with_heap(nullptr, [&](thread_heap& heap) {
    // The heap may only have dropped out of those used last.
    const auto refill_it = [&](unsigned c) { return refill(heap, c); };
    return size_class < table_class_count ? heap.take_small(size_class, refill_it)
                                          : heap.take(size_class, refill_it);
  });
}

// Looks for blocks everywhere except upstream.
void thread_heaps::prepare(thread_heap& mine, unsigned size_class) noexcept {
  mine.post_all();
  mine.collect(thread_heap::most_at_once);
  mine.advance_or_adopt(size_class);
}

chain_ends thread_heaps::take_many(unsigned size_class, std::size_t count, std::size_t bytes) {
  return with_heap(known(), [&](thread_heap& heap) {
    prepare(heap, size_class);
    return or_with_room([&] { return make_room(&heap); },
                        [&] { return heap.take_many(size_class, count, bytes); });
  });
}

void thread_heaps::give_many(unsigned size_class, void* first, std::size_t count) noexcept {
  while (count != 0) {
    thread_heap* const mine = known();
    // Gives back as many in a row as are the thread's own, then one of another.
    void* other = first;
    std::size_t own = 0;
    for (; own != count && thread_heap::owner_of(other, size_class) == mine; ++own) {
      other = block_chain::next(other);
    }
    if (own != 0) mine->give_many(size_class, first, own);
    if (own == count) return;
    first = block_chain::next(other);
    count -= own + 1;
    poison(other, class_layouts[size_class].block_bytes);
    deallocate_slow(mine, other, size_class);
  }
}

void thread_heaps::deallocate_slow(thread_heap* mine, void* p, unsigned size_class) noexcept {
  if (mine == nullptr) {
    try {
      mine = begin_thread();
    } catch (...) {  // without a heap it takes a little longer
    }
  }
  const pool_home home = thread_heap::home_of(p, size_class);
  if (mine == nullptr) return thread_heap::send_alone(p, home);
  if (home.heap() == mine) return mine->give(p, size_class);
  mine->send(p, home);
}

// The calling thread's heap; null when it is ending.
thread_heap* thread_heaps::begin_thread() {
  heaps_of_thread* const thread = heaps_of_this_thread();
  if (thread == nullptr) return nullptr;
  thread_heap* heap = find_heap(*thread, *this);
  if (heap == nullptr) {
    heap = &any_heap();
    attach(*thread, *heap);
  }
  known_heaps[identity_ % known_heap_count] = {identity_, heap};
  return heap;
}

// The same without a new one. With many resources it is not always among those used last.
thread_heap* thread_heaps::heap_of_this_thread() noexcept {
  if (thread_heap* const mine = known()) return mine;
  const heaps_of_thread* const thread = heaps_of_this_thread();
  return thread == nullptr ? nullptr : find_heap(*thread, *this);
}

// A heap that another thread has left, or a new one.
thread_heap& thread_heaps::any_heap() {
  return *list_.begin_thread([this] {
    void* const memory =
        or_with_room([&] { return make_room(nullptr); },
                     [&] { return source_->allocate(sizeof(thread_heap), alignof(thread_heap)); });
    auto* const made = ::new (memory) thread_heap(*this, source_, reserve_limit_);
    known_memory::add(made);
    return made;
  });
}

void thread_heaps::orphan(thread_heap& heap) noexcept {
  heap.post_all();
  heap.collect();
  heap.rest();  // slabs that this empties go to upstream at once, without the lock
  list_.end_thread(heap);
}

bool thread_heaps::owns(const void* p, unsigned size_class) const noexcept {
  const slab_set* const owner = slab_set::owner_of_block(p, class_layouts[size_class], size_class);
  if (owner == nullptr) return false;
  if (owner != known() && owner != &orphans_) {
    const auto* const heap =
        static_cast<const thread_heap*>(static_cast<const class_pools*>(owner));
    const bool can_be_read =
        known_memory::has(heap) || (os::is_mapped(heap) && os::is_mapped(heap + 1));
    if (!can_be_read || heap->resource != this) return false;
    known_memory::note(heap);
  }
  slab_set::note_slab_of(p, class_layouts[size_class]);
  return true;
}

void thread_heaps::begin_visit() noexcept {
  visits_.fetch_add(1, std::memory_order_relaxed);
}

void thread_heaps::end_visit() noexcept {
  visits_.fetch_sub(1, std::memory_order_release);
  os::wake_one(visits_);
}

// Threads that are ending may still use what was theirs.
void thread_heaps::wait_for_visitors(std::unique_lock<std::mutex>& hold) noexcept {
  while (const std::uint32_t visits = visits_.load(std::memory_order_acquire)) {
    hold.unlock();
    os::wait_while(visits_, visits);
    hold.lock();
  }
}

void thread_heaps::forget_other_threads(const heaps_of_thread* survivor) noexcept {
  for (thread_heap* heap = list_.take_all(); heap != nullptr;) {
    thread_heap& one = *heap;
    heap = heap->next;
    const bool waits = one.idle.load(order::relaxed);
    if (waits || one.thread == survivor) list_.add(one);
    if (waits) list_.let_wait(one);
  }
  visits_.store(0, std::memory_order_relaxed);
}

void* thread_heaps::allocate_oversize(std::size_t bytes, std::size_t alignment) {
  void* const p = or_with_room([&] { return make_room(nullptr); },
                               [&] { return oversize_list::make(*source_, bytes, alignment); });
  const std::lock_guard hold(large_blocks_lock_);
  oversize_.insert(p);
  return p;
}

void thread_heaps::deallocate_oversize(void* p) noexcept {
  {
    const std::lock_guard hold(large_blocks_lock_);
    oversize_.remove(p);
  }
  oversize_list::give_back(*source_, p);
}

// Afterwards no thread knows its heap here.
void thread_heaps::detach_all() noexcept {
  std::unique_lock hold(registry_lock());
  for (thread_heap* heap = list_.first(); heap != nullptr; heap = heap->next) {
    if (heap->thread != nullptr) detach(*heap);
  }
  identity_ = new_identity();
  wait_for_visitors(hold);
}

void thread_heaps::give_back_all() noexcept {
  bool has_first = false;
  for (thread_heap* heap = list_.take_all(); heap != nullptr;) {
    thread_heap& one = *heap;
    heap = heap->next;
    one.start_over(upstream_ignores_);
    if (&one == &first_) {
      has_first = true;
      continue;
    }
    one.~thread_heap();
    source_->deallocate(&one, sizeof(thread_heap), alignof(thread_heap));
  }
  // In the child of a fork it may belong to a thread that was lost in the middle of anything.
  if (!has_first) first_.start_over(true);
  list_.add(first_);
  list_.let_wait(first_);
  orphans_.start_over(upstream_ignores_);
  if (upstream_ignores_) {
    oversize_.forget();
  } else {
    oversize_.release(*source_);
  }
}

void thread_heaps::release() noexcept {
  detach_all();
  give_back_all();
}

std::size_t thread_heaps::trim() noexcept {
  return trim_with(heap_of_this_thread());
}

std::size_t thread_heaps::trim_with(thread_heap* mine) noexcept {
  std::size_t bytes = 0;
  if (mine != nullptr) {
    mine->post_all();
    mine->collect();
    bytes += mine->trim();
  }
  slab* empty = nullptr;
  {
    const std::lock_guard hold(registry_lock());
    const std::size_t before = orphans_.usage().reserved_bytes;
    list_.work_off(orphans_);
    empty = orphans_.detach_empty();
    bytes += before - orphans_.usage().reserved_bytes;
  }
  orphans_.give_detached(empty);
  return bytes;
}

bool thread_heaps::make_room(thread_heap* mine) noexcept {
  if (mine == nullptr) mine = heap_of_this_thread();
  const bool had_waiting = mine != nullptr && mine->has_waiting();
  if (had_waiting) mine->collect();
  const bool had_hot = mine != nullptr && mine->cool();
  if (keeps_every_slab()) return had_waiting || had_hot;
  const std::size_t large = large_blocks_ == nullptr ? 0 : large_blocks_->trim();
  return trim_with(mine) + large != 0 || had_waiting || had_hot;
}

// No call is in flight, so for a while the lock guards all heaps, and empty slabs stay.
heaps_usage thread_heaps::usage() noexcept {
  slab* empty = nullptr;
  std::unique_lock hold(registry_lock());
  wait_for_visitors(hold);
  thread_heap* const first = list_.first();
  for (thread_heap* heap = first; heap != nullptr; heap = heap->next) {
    heap->set_reserve_limit(keep_every_slab);
    heap->idle.store(true, order::relaxed);
  }
  for (thread_heap* heap = first; heap != nullptr; heap = heap->next) {
    heap->post_all();
    list_.work_off(*heap);
  }
  heaps_usage out;
  for (thread_heap* heap = first; heap != nullptr; heap = heap->next) {
    heap->set_reserve_limit(reserve_limit_);
    heap->idle.store(heap->thread == nullptr, order::relaxed);
    empty = heap->detach_reserve(reserve_limit_, empty);
    add(out.slabs, heap->usage());
    out.at_hand_bytes += heap->at_hand_bytes();
    if (heap != &first_) out.heap_bytes += sizeof(thread_heap);
    if (heap->thread != nullptr) ++out.heaps;
  }
  if (!keeps_every_slab()) empty = orphans_.detach_reserve(0, empty);
  const slab_usage orphans = orphans_.usage();
  add(out.slabs, orphans);
  out.at_hand_bytes += orphans_.at_hand_bytes();
  out.orphan_slabs = orphans.slabs;
  hold.unlock();
  orphans_.give_detached(empty);
  const std::lock_guard hold_list(large_blocks_lock_);
  out.oversize_payload_bytes = oversize_.payload_bytes();
  out.oversize_reserved_bytes = oversize_.reserved_bytes();
  out.oversize_blocks = oversize_.blocks();
  return out;
}

}  // namespace mallard::inline v1::detail
