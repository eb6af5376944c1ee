#include "route/preload/thread.hpp"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <new>
#include <utility>

#include "route/preload/map_zeros.hpp"

namespace mallard::route {

thread_local constinit thread_words this_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden"))) = {};

namespace {

pthread_key_t at_end;

// Where threads end after this, they allocate as if nothing was routed.
void end_of_thread(void* state) {
  this_thread.ended = true;
  this_thread.state = nullptr;
  this_thread.busy = true;
  auto* const own = static_cast<routing_thread*>(state);
  own->leave();
  process.leave_thread(*own);
  this_thread.busy = false;
}

// A condition's bit, or 0.
std::uint32_t bit_of_scope(const session& all, const char* name) {
  for (std::uint32_t i = 0; i < all.scope_count; ++i) {
    if (std::strcmp(all.scopes[i], name) == 0) return std::uint32_t{1} << i;
  }
  return 0;
}

}  // namespace

bool open_threads() noexcept {
  return pthread_key_create(&at_end, end_of_thread) == 0;
}

routing_thread* make_ready() noexcept {
  if (this_thread.ended) return nullptr;
  this_thread.busy = true;
  routing_thread* state = nullptr;
  if (process.open()) {
    const int before = errno;
    state = process.take_left_thread();
    if (state == nullptr) {
      void* const memory = map_zeros(sizeof(routing_thread));
      if (memory != nullptr) state = ::new (memory) routing_thread;
    }
    if (state != nullptr) {
      state->begin();
      this_thread.state = state;
      pthread_setspecific(at_end, state);
    }
    errno = before;
  }
  this_thread.busy = false;
  return state;
}

void forget_parents_counts() noexcept {
  if (this_thread.state != nullptr) this_thread.state->forget_counts();
}

void routing_thread::begin() noexcept {
  constexpr std::uint32_t checked = 24;  // of each walk; all are, as all that there were is old
  const session& all = *process.all;
  forget_stack();
  stack_.open(process.rules, all.by_frame_pointers, checked);
  stacks_entered_ = stack_.stacks_entered();
  scopes_ = 0;
  std::fill(std::begin(depth_), std::end(depth_), 0);
  for (std::uint32_t i = 0; i < all.route_count; ++i) turns_[i].change_thread();
  const route_rule& only = all.routes[0];
  has_frames_ = all.knows_frames && all.route_count == 1 && !all.names_survivors &&
                only.scopes == 0 && only.without == 0 && (only.marks & ~marks::functions) == 0 &&
                std::has_single_bit(only.marks);
  find_sizes();
}

void routing_thread::forget_stack() noexcept {
  epoch_ = process.epoch();
  process.take_marks(epoch_);
  stack_.forget();
  recents_.forget();
  frame_place_ = 0;
}

// The walk has met the only route's function. Its frame is as good as a walk if a direct call leads
// to it and to nothing else.
void routing_thread::note_frame() noexcept {
  const std::uint32_t wanted = process.all->routes[0].marks | marks::whole_frame;
  const preload::stack_walk::found_frame frame =
      stack_.outermost_with(process.all->routes[0].marks);
  const std::uint64_t called = address_cache::called_before(frame.caller_ip);
  if (called == 0 || (process.addresses.marks_of(frame.ip) & wanted) != wanted) return;
  if ((process.addresses.marks_of(called) & wanted) != wanted) return;
  frame_place_ = frame.frame_address - sizeof(std::uint64_t);
  frame_value_ = frame.caller_ip;
}

void routing_thread::has_entered() noexcept {
  if (stacks_entered_ == stack_.stacks_entered()) return;
  stacks_entered_ = stack_.stacks_entered();
  if (++sight_ == 0) {
    recents_.forget();
    sight_ = 1;
  }
}

std::uint32_t routing_thread::fitting_size(std::size_t bytes) const noexcept {
  const session& all = *process.all;
  std::uint32_t out = 0;
  for (std::uint32_t i = 0; i < all.route_count; ++i) {
    const route_rule& rule = all.routes[i];
    const bool fits =
        (rule.scopes & ~scopes_) == 0 && bytes - rule.smallest <= rule.largest - rule.smallest;
    out |= std::uint32_t{fits} << i;
  }
  return out;
}

void routing_thread::find_sizes() noexcept {
  const session& all = *process.all;
  std::uint64_t smallest = UINT64_MAX;
  std::uint64_t largest = 0;
  bool asks_for_size = false;
  fits_any_size_ = 0;
  for (std::uint32_t i = 0; i < all.route_count; ++i) {
    const route_rule& rule = all.routes[i];
    if ((rule.scopes & ~scopes_) != 0) continue;
    fits_any_size_ |= std::uint32_t{1} << i;
    asks_for_size |= rule.smallest != 0 || rule.largest != UINT64_MAX;
    smallest = std::min(smallest, rule.smallest);
    largest = std::max(largest, rule.largest);
  }
  if (asks_for_size) fits_any_size_ = 0;
  // An invocation ends where a stack is met that is outside of it; survivors have all stacks named.
  if (open_ != 0 || all.names_survivors) {
    smallest = 0;
    largest = UINT64_MAX;
  }
  smallest_ = smallest;
  // No block has as many bytes as there are numbers.
  sizes_ = largest < smallest ? 0 : largest - smallest + (largest - smallest != UINT64_MAX);
}

stack_answer routing_thread::walk(const unwind::frame_state& caller) noexcept {
  const session& all = *process.all;
  const std::uint32_t found_marks = stack_.node_of(caller, false, true, *this);
  stack_answer found;
  for (std::uint32_t i = 0; i < all.route_count; ++i) {
    const std::uint32_t missing = all.routes[i].marks & ~found_marks;
    const bool fits = missing == 0 && (all.routes[i].without & found_marks) == 0;
    if (fits) found.routes |= static_cast<std::uint16_t>(1U << i);
    if ((missing & marks::functions) == 0) found.inside |= static_cast<std::uint16_t>(1U << i);
  }
  has_entered();
  walked_ = true;
  recent_->learn(caller, stack_, found, [](std::uint64_t ip) {
    return (process.addresses.marks_of(ip) & marks::runtime) != 0;
  });
  if (recent_->farthest() != 0) recent_->see(sight_);
  if (has_frames_ && found.inside != 0) note_frame();
  return found;
}

stack_answer routing_thread::answer_of(const unwind::frame_state& caller) noexcept {
  if (epoch_ != process.epoch()) forget_stack();
  walked_ = false;
  recent_ = recents_.find_again(
      caller, [&](std::uint64_t place) { return stack_.can_read(caller.sp, place); });
  has_entered();
  if (recent_ != nullptr) {
    recent_->see(sight_);
    return recent_->answer();
  }
  recent_ = &recents_.next_at(caller);
  return walk(caller);
}

int routing_thread::route_of(std::size_t bytes, const unwind::frame_state& caller) noexcept {
  const session& all = *process.all;
  std::uint32_t fits = fitting(bytes);
  if (!all.walks) return choose(fits, caller);
  if ((fits | open_ | std::uint32_t{all.names_survivors}) == 0) return -1;
  const stack_answer stack = answer_of(caller);
  if (open_ != 0) end_invocations_outside(stack.inside);
  return choose(fits & stack.routes, caller);
}

void routing_thread::leave() noexcept {
  for (std::uint32_t i = 0; i < process.all->route_count; ++i) {
    if (current_[i] != nullptr) end_invocation(i);
    for (arena** const own : {&current_[i], &resting_[i]}) {
      if (*own != nullptr) process.leave_arena(*std::exchange(*own, nullptr));
    }
    while (arena* const one = waiting_[i].take_first()) process.leave_arena(*one);
    turns_[i].change_thread();
  }
  if (counts_ != nullptr) counts_->pid.store(0, std::memory_order_release);
  counts_ = nullptr;
}

thread_counts* routing_thread::find_counts() noexcept {
  session& all = *process.all;
  const auto own = static_cast<std::uint32_t>(getpid());
  for (thread_counts& one : all.threads) {
    std::uint32_t nobody = 0;
    if (one.pid.load(std::memory_order_relaxed) == 0 &&
        one.pid.compare_exchange_strong(nobody, own, std::memory_order_acquire)) {
      return &one;
    }
  }
  const int before = errno;
  thread_counts* found = nullptr;
  for (thread_counts& one : all.threads) {
    std::uint32_t whose = one.pid.load(std::memory_order_relaxed);
    if (whose != own && kill(static_cast<pid_t>(whose), 0) != 0 && errno == ESRCH &&
        one.pid.compare_exchange_strong(whose, own, std::memory_order_acquire)) {
      found = &one;
      break;
    }
  }
  errno = before;
  static thread_counts nobodys;  // when more threads than that live at once
  return found != nullptr ? found : &nobodys;
}

invocation routing_thread::invocation_of(std::uint32_t route) noexcept {
  found_scope& known = recent_->scope();
  if (walked_ || known.route != route + 1) {
    if (!walked_) walk(caller_);
    known.route = route + 1;
    known.frame = stack_.outermost_with(process.all->routes[route].marks & marks::functions);
  }
  return {known.frame.frame_address, known.frame.caller_ip, known.frame.ip};
}

arena* routing_thread::arena_of_scope(std::uint32_t route) noexcept {
  if (current_[route] == nullptr) current_[route] = take_arena(route);
  return current_[route];
}

arena* routing_thread::take_arena(std::uint32_t route) noexcept {
  const server by = process.served == serving::in_turns ? turns_[route].now()
                    : process.served == serving::malloc ? server::malloc
                                                        : server::resource;
  arena* const taken = process.take_arena(route, by);
  if (taken != nullptr) taken->set_thread(this);
  return taken;
}

// The arena where the frame is all that is known. Another invocation begins when nothing of the
// last one lives, see profile/invocations.hpp.
arena* routing_thread::arena_of_frame(std::uint32_t route) noexcept {
  arena* const mine = current_[route];
  const bool is_same =
      mine != nullptr && mine->of.frame_address - sizeof(std::uint64_t) == frame_place_;
  if (is_same && mine->live() != 0) return mine;
  recent_ = &recents_.next_at(caller_);
  if ((walk(caller_).inside >> route & 1) != 0) return arena_of_function(route);
  frame_place_ = 0;
  end_invocations_outside(0);
  return nullptr;
}

// The arena of the function's invocation that the thread is in.
arena* routing_thread::find_arena_of_function(std::uint32_t route) noexcept {
  if (recent_ == nullptr) return arena_of_frame(route);
  found_scope& known = recent_->scope();
  const invocation now = invocation_of(route);
  if (arena* const mine = current_[route]) {
    const bool same = mine->of.is_same_frame(now);
    // It may have returned and been called again: see profile/invocations.hpp.
    const bool again = same && now.first_ip <= mine->of.first_ip && mine->live() == 0;
    if (!same || again) end_invocation(route);
  }
  if (open_ == 0) {
    open_ = std::uint32_t{1} << route;
    find_sizes();
  }
  open_ |= std::uint32_t{1} << route;
  arena*& mine = current_[route];
  if (mine == nullptr) mine = take_arena(route);
  if (mine == nullptr) return nullptr;
  if (mine->of.frame_address == 0) {
    mine->of = now;
    ++turn_;
  }
  known.turn = turn_;
  known.of = mine;
  known.may_be_first = now.first_ip <= mine->of.first_ip;
  return mine;
}

void routing_thread::end_invocation(std::uint32_t route) noexcept {
  ++turn_;
  if (open_ != 0) {
    open_ &= ~(std::uint32_t{1} << route);
    if (open_ == 0) find_sizes();
  }
  arena* const ended = current_[route];
  if (ended == nullptr) return;
  route_counts& counts = counts_of(route);
  const std::uint64_t live = ended->live();
  const std::uint64_t blocks = ended->blocks();
  add_to(counts.freed_elsewhere, ended->freed_elsewhere());
  if (live == 0) {
    if (blocks != 0) add_to(counts.resets, 1);
    ended->reset();
  } else {
    add_to(counts.survivors, live);
    if (process.all->names_survivors) name_survivors(*ended);
    current_[route] = nullptr;
    waiting_[route].add(*ended);
  }
  if (process.served == serving::in_turns &&
      turns_[route].has_ended(blocks, process.all->turns[route])) {
    std::swap(current_[route], resting_[route]);
  }
  // Two of those that wait are looked at each time, in turn: there may be many.
  for (int looked_at = 0; looked_at < 2; ++looked_at) {
    arena* const one = waiting_[route].take_first();
    if (one == nullptr) break;
    if (one->live() == 0) {
      process.leave_arena(*one);
    } else {
      waiting_[route].add(*one);
    }
  }
}

void routing_thread::end_invocations_outside(std::uint32_t inside) noexcept {
  for (std::uint32_t left = open_ & ~inside; left != 0; left &= left - 1) {
    end_invocation(static_cast<std::uint32_t>(__builtin_ctz(left)));
  }
}

void* routing_thread::allocate_again(arena& of, std::size_t bytes) noexcept {
  const std::uint32_t route = of.route();
  arena* from = &of;
  if (process.is_scoped(route)) {
    from = current_[route];
    if (from == nullptr) return nullptr;
  }
  void* const block = bytes < PTRDIFF_MAX ? from->allocate(shape_of(bytes, 0), {bytes}) : nullptr;
  route_counts& counts = counts_of(route);
  if (block == nullptr) {
    add_to(counts.passed_on, 1);
    return nullptr;
  }
  add_to(counts.blocks, 1);
  add_to(counts.bytes, bytes);
  if (process.all->names_survivors) process.range.set_site(block, 0);
  return block;
}

void routing_thread::enter_scope(const char* name) noexcept {
  session& all = *process.all;
  const std::uint32_t bit = bit_of_scope(all, name);
  if (bit == 0) {
    if (all.route_count != 0) return;
    // Without routes, what there is is found out, for the message that there is no such scope.
    const std::uint32_t count = all.seen_scope_count.load(std::memory_order_relaxed);
    for (std::uint32_t i = 0; i < count && i < most_seen_scopes; ++i) {
      if (std::strncmp(all.seen_scopes[i], name, name_bytes - 1) == 0) return;
    }
    const std::uint32_t at = all.seen_scope_count.fetch_add(1, std::memory_order_relaxed);
    if (at < most_seen_scopes) std::strncpy(all.seen_scopes[at], name, name_bytes - 1);
    return;
  }
  if (depth_[__builtin_ctz(bit)]++ != 0) return;
  scopes_ |= bit;
  find_sizes();
  if ((all.entered_scopes.load(std::memory_order_relaxed) & bit) == 0) {
    all.entered_scopes.fetch_or(bit, std::memory_order_relaxed);
  }
}

void routing_thread::exit_scope(const char* name) noexcept {
  const session& all = *process.all;
  const std::uint32_t bit = bit_of_scope(all, name);
  if (bit == 0 || depth_[__builtin_ctz(bit)] == 0 || --depth_[__builtin_ctz(bit)] != 0) return;
  scopes_ &= ~bit;
  find_sizes();
  for (std::uint32_t i = 0; i < all.route_count; ++i) {
    if ((all.routes[i].scopes & bit) != 0 && process.is_scoped(i)) end_invocation(i);
  }
}

// The innermost function outside the runtime: its address's place in the session, + 1.
std::uint32_t routing_thread::site_of_caller() noexcept {
  if (process.all->walks && !walked_) walk(caller_);
  const std::uint64_t ip = stack_.innermost(
      [](std::uint64_t at) { return (process.addresses.marks_of(at) & marks::runtime) == 0; });
  const std::uint64_t key = ip == 0 ? 0 : process.addresses.key_of(ip);
  if (key == 0) return 0;
  std::size_t place = place_of(key);
  for (int tries = 0; tries < 4096; ++tries, place = (place + 1) % most_addresses) {
    const std::uint64_t there = process.all->addresses[place].key.load(std::memory_order_relaxed);
    if (there == key) return static_cast<std::uint32_t>(place + 1);
    if (there == 0) break;
  }
  return 0;
}

void routing_thread::name_survivors(arena& of) noexcept {
  session& all = *process.all;
  process.range.for_each_live(of.number(), process.codes, [&](std::uint32_t site) {
    if (site == 0) return;
    const std::uint64_t key = all.addresses[site - 1].key.load(std::memory_order_relaxed) |
                              std::uint64_t{of.route() + 1} << route_shift;
    for (survivor_site& one : all.sites) {
      std::uint64_t there = one.key.load(std::memory_order_relaxed);
      if (there == 0) one.key.compare_exchange_strong(there, key);
      if (one.key.load(std::memory_order_relaxed) == key) {
        one.blocks.fetch_add(1, std::memory_order_relaxed);
        return;
      }
    }
  });
}

}  // namespace mallard::route
