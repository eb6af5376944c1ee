// Purpose: scopes: while one is open, what its thread allocates comes from a heap of the program's
// own.
//
// Neither malloc nor free asks whether a scope is open. Opening one replaces the thread's magazines
// by those of its heap, with the heap's mark and without a thread's heap. So blocks of the scope's
// heap come and go by the hot paths, and everything else goes where a thread is served that has no
// heap yet; only there somebody asks for the scope. The thread's own magazines wait in the
// outermost scope. When a scope ends its magazines stay with the heap, for the next one: no block
// is handled.
#pragma once

#include <array>
#include <cstddef>

#include "mallard/detail/pages/slice_supply.hpp"
#include "malloc/thread_cache.hpp"

namespace mallard::inline v1::detail {

class user_heap;

struct open_scope {
  explicit open_scope(user_heap& of) noexcept;

  user_heap* heap;
  open_scope* outer = nullptr;  // of the thread; of a closed one, the heap's next closed one
  thread_cache inside;          // while it is closed
  thread_cache outside;         // while it is open: the outer one's, or the thread's own
  std::array<void*, magazine_slots> slots;

  void** bottom_of(unsigned size_class) noexcept {
    return slots.data() + magazine_begin[size_class];
  }
  // Whether the scope had no block of the class yet.
  static bool is_new(const thread_cache& of, unsigned size_class) noexcept {
    return of.top_of(size_class) == &no_slots[0];
  }
  void start(thread_cache& of, unsigned size_class) noexcept;
  // Blocks in this scope's magazines, which `of` holds.
  std::size_t at_hand_blocks(const thread_cache& of) noexcept;
  std::size_t at_hand_blocks(const thread_cache& of, unsigned size_class) noexcept {
    return is_new(of, size_class)
               ? 0
               : static_cast<std::size_t>(of.top_of(size_class) - bottom_of(size_class));
  }
  // Forgets what a closed scope's magazines hold.
  void forget() noexcept;
};
inline constexpr std::size_t scope_bytes = 2 * slice_bytes;
static_assert(sizeof(open_scope) <= scope_bytes);

[[gnu::tls_model("initial-exec")]] extern constinit thread_local open_scope* innermost_scope;

// The magazines of the thread's own heap.
thread_cache& own_cache() noexcept;

// Null when there is no memory for it, in a signal handler that has interrupted malloc, and in the
// last rounds of a thread's destructors. Null for `heap` means one without a name, which lives
// until its last block is freed.
open_scope* begin_scope(user_heap* heap) noexcept;
// Ends it with all that were opened after it. Returns how many blocks of its heap are in use.
std::size_t end_scope(open_scope* scope) noexcept;
// Both are for open scopes.
std::size_t blocks_in_use(open_scope* scope) noexcept;
void end_all_scopes() noexcept;

// While this lives, the thread works as if no scope were open.
class outside_scopes {
 public:
  outside_scopes() noexcept;
  ~outside_scopes();
  outside_scopes(const outside_scopes&) = delete;
  outside_scopes& operator=(const outside_scopes&) = delete;

 private:
  open_scope* const scope_;
};

}  // namespace mallard::inline v1::detail
