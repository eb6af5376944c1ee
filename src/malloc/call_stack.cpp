// Walks by the tables that every module has for unwinding, as debuggers do; code without any is
// assumed to have frame pointers. A mistake in them can give a wrong frame, but not a fault: no
// page of the stack is read before it was tested.
#include "malloc/call_stack.hpp"

#include <cstring>

#include "mallard/detail/config.hpp"
#include "malloc/kept_errno.hpp"
#include "malloc/lock.hpp"
#include "unwind/frame_step.hpp"
#include "unwind/module_of.hpp"
#include "unwind/rule_cache.hpp"

namespace mallard::inline v1::detail {
namespace {

using unwind::frame_rule;

constinit futex_lock prepare_lock;
constinit unwind::rule_cache rules_of_addresses;
constinit std::atomic<bool> has_rules{false};
constinit std::uint64_t own_begin = 0;
constinit std::uint64_t own_end = 0;

frame_rule rule_at(std::uint64_t ip) noexcept {
  const frame_rule rule = has_rules.load(std::memory_order_acquire) ? rules_of_addresses.find(ip)
                                                                    : unwind::find_frame_rule(ip);
  return rule.how == frame_rule::address::not_described ? unwind::frame_pointer_rule : rule;
}

// Goes to the caller's frame. False when there is none, or it is not found.
bool go_to_caller(unwind::frame_state& at, bool& is_exact, unwind::readable_range& readable) {
  const frame_rule rule = rule_at(is_exact ? at.ip : at.ip - 1);
  is_exact = false;
  if (const unwind::frame_end end = unwind::end_of_frame(at, rule, readable); end.address != 0) {
    at = unwind::caller_of(at, end, unwind::saved_bp_place(at, rule, end, readable), readable);
    return at.ip != 0;
  }
  is_exact = rule.how == frame_rule::address::signal && unwind::go_to_interrupted(at, readable);
  return is_exact;
}

[[gnu::noinline]] void walk(unwind::frame_state at, call_stack& out) noexcept {
  const kept_errno keep;
  unwind::readable_range readable;
  readable.enter(at.sp);
  bool is_exact = true;
  while (out.count < call_stack::most_frames && go_to_caller(at, is_exact, readable)) {
    if (out.count == 0 && at.ip - own_begin < own_end - own_begin) continue;
    out.returns[out.count++] = is_exact ? at.ip + 1 : at.ip;
  }
}

}  // namespace

void prepare_call_stacks() noexcept {
  const holding hold(prepare_lock);
  if (has_rules.load(std::memory_order_relaxed)) return;
  const unwind::module_range own =
      unwind::module_of(reinterpret_cast<std::uint64_t>(&prepare_call_stacks));
  // Linked into a program or a plug-in, it has no module of its own.
  if (own.module != nullptr && std::strstr(own.module->l_name, "libmallard-malloc") != nullptr) {
    own_begin = own.start;
    own_end = own.end;
  }
  has_rules.store(rules_of_addresses.open(), std::memory_order_release);
}

[[gnu::noinline]] void find_call_stack(call_stack& out) noexcept {
  out.count = 0;
#if defined(__x86_64__)
  unwind::frame_state here;
  asm volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"
               : "=r"(here.ip), "=r"(here.sp), "=r"(here.bp));
#elif defined(__aarch64__)
  unwind::frame_state here;
  asm volatile("adr %0, .\n\tmov %1, sp\n\tmov %2, x29"
               : "=r"(here.ip), "=r"(here.sp), "=r"(here.bp));
#else
  const auto frame = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  const unwind::frame_state here{reinterpret_cast<std::uint64_t>(&find_call_stack), frame, frame};
#endif
  walk(here, out);
}

void find_interrupted_stack(const void* context, call_stack& out) noexcept {
  out.count = 0;
  const unwind::frame_state at =
      unwind::interrupted_state(*static_cast<const ucontext_t*>(context));
  if (at.ip == 0) return;  // not known on this machine
  out.returns[out.count++] = at.ip + 1;
  walk(at, out);
}

}  // namespace mallard::inline v1::detail
