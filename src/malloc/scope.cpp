#include "malloc/scope.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "malloc/fatal.hpp"
#include "malloc/kept_errno.hpp"
#include "malloc/magazine.hpp"
#include "malloc/malloc_heap.hpp"
#include "malloc/slow_path.hpp"
#include "malloc/thread_exit.hpp"
#include "malloc/user_heap.hpp"

namespace mallard::inline v1::detail {

[[gnu::tls_model("initial-exec")]] constinit thread_local open_scope* innermost_scope = nullptr;

namespace {

open_scope& outermost_scope() noexcept {
  open_scope* scope = innermost_scope;
  while (scope->outer != nullptr) scope = scope->outer;
  return *scope;
}

// The count of blocks at hand follows the magazines.
void move_own_magazines(const thread_cache& at, thread_cache& to) noexcept {
  if (at.heap != nullptr) at.heap->move_magazines(to);
}

void put_inside(open_scope& scope) noexcept {
  if (innermost_scope == nullptr) move_own_magazines(cache, scope.outside);
  scope.outside = cache;
  cache = scope.inside;
  scope.outer = innermost_scope;
  innermost_scope = &scope;
}

// Blocks of the heap in the magazines of this thread's open scopes.
std::size_t at_hand_blocks_of(const user_heap* heap) noexcept {
  std::size_t at_hand = 0;
  const thread_cache* magazines = &cache;
  for (open_scope* s = innermost_scope; s != nullptr; s = s->outer) {
    if (s->heap == heap) at_hand += s->at_hand_blocks(*magazines);
    magazines = &s->outside;
  }
  return at_hand;
}

std::size_t close_innermost() noexcept {
  open_scope& scope = *innermost_scope;
  scope.inside = cache;
  cache = scope.outside;
  innermost_scope = scope.outer;
  if (innermost_scope == nullptr) move_own_magazines(cache, cache);
  return scope.heap->end_scope(scope);
}

}  // namespace

open_scope::open_scope(user_heap& of) noexcept
    : heap(&of), inside(thread_cache::without_heap()), outside(inside) {
  inside.foreign = slice_mark::foreign_to(heap->number(), true);
  inside.calls_without_heap = 0;
}

void open_scope::start(thread_cache& of, unsigned size_class) noexcept {
  void** const bottom = bottom_of(size_class);
  void** const end = bottom + 1 + magazine_capacities[size_class];
  *bottom = *end = nullptr;
  note_filled_by_frees(bottom + 1, end);
  of.top_of(size_class) = bottom;
}

std::size_t open_scope::at_hand_blocks(const thread_cache& of) noexcept {
  std::size_t blocks = 0;
  for (unsigned c = 0; c < malloc_class_count; ++c) blocks += at_hand_blocks(of, c);
  return blocks;
}

void open_scope::forget() noexcept {
  for (unsigned c = 0; c < malloc_class_count; ++c) {
    if (!is_new(inside, c)) inside.top_of(c) = bottom_of(c);
  }
}

thread_cache& own_cache() noexcept {
  return innermost_scope == nullptr ? cache : outermost_scope().outside;
}

open_scope* begin_scope(user_heap* heap) noexcept {
  // Nobody would end it for a thread that has ended for good.
  if (slow_path::is_inside() || !may_begin_thread()) return nullptr;
  // It ends with the thread, as does the thread's heap.
  if (cache.heap == nullptr && innermost_scope == nullptr) end_heap_with_thread();
  if (heap == nullptr) heap = user_heap::take_nameless();
  if (heap == nullptr) return nullptr;
  const slow_path here;  // the heap counts the scope before the thread has it
  open_scope* const scope = heap->begin_scope();
  if (scope != nullptr) put_inside(*scope);
  return scope;
}

std::size_t end_scope(open_scope* scope) noexcept {
  const slow_path here;
  for (const open_scope* s = innermost_scope; s != scope; s = s->outer) {
    if (s == nullptr) fatal("a scope ends on another thread than it began on, or twice", scope);
  }
  while (innermost_scope != scope) close_innermost();
  const user_heap* const heap = scope->heap;  // which may end with it
  return close_innermost() - at_hand_blocks_of(heap);
}

std::size_t blocks_in_use(open_scope* scope) noexcept {
  const slow_path here;
  return scope->heap->blocks_in_use() - at_hand_blocks_of(scope->heap);
}

void end_all_scopes() noexcept {
  const slow_path here;
  while (innermost_scope != nullptr) close_innermost();
}

outside_scopes::outside_scopes() noexcept : scope_(innermost_scope) {
  if (scope_ == nullptr) return;
  const slow_path here;
  std::swap(cache, outermost_scope().outside);
  move_own_magazines(cache, cache);
  innermost_scope = nullptr;
}

outside_scopes::~outside_scopes() {
  if (scope_ == nullptr) return;
  const slow_path here;
  innermost_scope = scope_;
  thread_cache& own = outermost_scope().outside;
  move_own_magazines(cache, own);
  std::swap(cache, own);
}

}  // namespace mallard::inline v1::detail
