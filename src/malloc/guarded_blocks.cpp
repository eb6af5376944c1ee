#include "malloc/guarded_blocks.hpp"

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "mallard/detail/os/pages.hpp"
#include "mallard/detail/os/uncancelled.hpp"
#include "malloc/fatal.hpp"
#include "malloc/kept_errno.hpp"
#include "malloc/malloc_checks.hpp"
#include "malloc/malloc_pages.hpp"
#include "malloc/taken_signal.hpp"
#include "malloc/text_out.hpp"
#include "unwind/module_of.hpp"

namespace mallard::inline v1::detail {

constinit guarded_blocks the_guarded;

namespace {

constexpr std::byte guard_pattern{0xa5};
constexpr std::size_t run_words = 2;

// Each frame as its module's file and the place there, as addr2line takes it.
void write_stack(text_out& out, const char* what, const call_stack& stack) noexcept {
  out << "  " << what << "\n";
  for (std::size_t i = 0; i < stack.count; ++i) {
    const std::uint64_t ip = stack.returns[i] - 1;
    const unwind::module_range module = unwind::module_of(ip);
    out << "    #" << i << " ";
    if (module.module == nullptr) {
      out.hexadecimal(ip);
    } else {
      const char* const name = module.module->l_name;
      char path[512] = {};
      const bool is_program = name == nullptr || *name == '\0';
      if (is_program && readlink("/proc/self/exe", path, sizeof path - 1) < 0) path[0] = '\0';
      (out << (is_program ? path : name) << "+").hexadecimal(ip - module.module->l_addr);
    }
    out << "\n";
  }
}

constinit taken_signal signal_of_faults;

void take_usual_action(int signal) noexcept {
  struct sigaction usual{};
  usual.sa_handler = SIG_DFL;
  sigaction(signal, &usual, nullptr);
}

// Calls the handler with the signals blocked that it asked for, as the system would.
void call(struct sigaction& handler, int signal, siginfo_t* info, void* context) noexcept {
  const struct sigaction asked = handler;
  const auto flags = static_cast<unsigned>(asked.sa_flags);
  if ((flags & SA_RESETHAND) != 0) {
    handler.sa_flags &= ~SA_SIGINFO;
    handler.sa_handler = SIG_DFL;
  }
  sigset_t blocked = asked.sa_mask;
  sigorset(&blocked, &blocked, &static_cast<ucontext_t*>(context)->uc_sigmask);
  if ((asked.sa_flags & SA_NODEFER) == 0) sigaddset(&blocked, signal);
  pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  if ((asked.sa_flags & SA_SIGINFO) != 0) return asked.sa_sigaction(signal, info, context);
  asked.sa_handler(signal);
}

// Any other fault goes on as it would without us.
void pass_on(int signal, siginfo_t* info, void* context) noexcept {
  struct sigaction& unguarded = signal_of_faults.before();
  // Handlers of both kinds are in one union.
  if (unguarded.sa_handler != SIG_DFL && unguarded.sa_handler != SIG_IGN) {
    return call(unguarded, signal, info, context);
  }
  // A fault comes again with its access and ends the program; a signal that was sent does not.
  const bool was_sent = info->si_code <= 0;
  if (was_sent && unguarded.sa_handler == SIG_IGN) return;
  take_usual_action(signal);
  if (was_sent) raise(signal);
}

void at_fault(int signal, siginfo_t* info, void* context) {
  const kept_errno keep;
  const bool is_fault = info->si_code > 0;
  if (!is_fault || !the_guarded.holds(info->si_addr)) return pass_on(signal, info, context);
  call_stack at;
  bool writing = false;
#if defined(__x86_64__)
  writing = (static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#endif
  find_interrupted_stack(context, at);
  the_guarded.report(info->si_addr, writing, at);
  take_usual_action(signal);
}

}  // namespace

bool guarded_blocks::open() noexcept {
  const holding hold(lock_);
  if (begin_.load(std::memory_order_relaxed) != 0) return true;
  page_bytes_ = os::page_size();
  const std::size_t bytes = run_words * slice_supply::word_bytes;
  slots_ = std::min(most_slots, (bytes / page_bytes_ - 1) / 2);
  if (table_ == nullptr) {
    table_ = static_cast<slot*>(
        os::map(round_up(slots_ * sizeof(slot), page_bytes_), page_bytes_, false));
  }
  void* const run = table_ == nullptr ? nullptr : the_pages.supply.take_words(run_words);
  if (run == nullptr) return false;
  os::protect(run, bytes);
  region::of(run)->set_marks(region::index_of(run), bytes / slice_bytes, slice_mark::guarded());
  for (std::size_t i = 0; i < slots_; ++i) queue_[i] = static_cast<std::uint8_t>(i);
  waiting_ = slots_;
  bytes_ = bytes;
  begin_.store(address_of(run), std::memory_order_relaxed);
  struct sigaction action{};
  action.sa_sigaction = at_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  return signal_of_faults.take(SIGSEGV, action);
}

void guarded_blocks::stop_reporting() noexcept {
  signal_of_faults.give_back();
}

std::byte* guarded_blocks::page_of(std::size_t i) const noexcept {
  return reinterpret_cast<std::byte*>(begin_.load(std::memory_order_relaxed) +
                                      (2 * i + 1) * page_bytes_);
}

// An address between two slots belongs to the first.
std::size_t guarded_blocks::slot_of(const void* p) const noexcept {
  const std::size_t page = (address_of(p) - begin_.load(std::memory_order_relaxed)) / page_bytes_;
  return std::min(page == 0 ? 0 : (page - 1) / 2, slots_ - 1);
}

template <class Visit>
void guarded_blocks::for_each_near(const slot& s, std::byte* page, Visit&& visit) noexcept {
  std::byte* const end = s.block + s.bytes;
  std::byte* const first =
      std::max(page, s.block - std::min<std::size_t>(static_cast<std::size_t>(s.block - page),
                                                     most_pattern_bytes));
  std::byte* const last =
      end +
      std::min<std::size_t>(static_cast<std::size_t>(page + page_bytes_ - end), most_pattern_bytes);
  for (std::byte* at = first; at != s.block; ++at) visit(*at);
  for (std::byte* at = end; at != last; ++at) visit(*at);
}

void* guarded_blocks::allocate(std::size_t bytes, std::size_t alignment,
                               const call_stack& from) noexcept {
  bytes = std::max<std::size_t>(bytes, 1);
  if (bytes > page_bytes_ || alignment > page_bytes_) return nullptr;
  const holding hold(lock_);
  if (waiting_ == 0) return nullptr;
  const kept_errno keep;
  const std::size_t number = queue_[first_];
  std::byte* const page = page_of(number);
  if (!os::commit(page, page_bytes_)) return nullptr;
  first_ = (first_ + 1) % slots_;
  --waiting_;
  slot& s = table_[number];
  s.block = ++turn_ % 4 == 0 ? page : page + page_bytes_ - round_up(bytes, alignment);
  s.bytes = bytes;
  s.allocated = from;
  s.is = state::in_use;
  for_each_near(s, page, [](std::byte& near) { near = guard_pattern; });
  checks::allocated(s.block);
  return s.block;
}

void guarded_blocks::deallocate(void* p) noexcept {
  call_stack from;
  find_call_stack(from);
  const holding hold(lock_);
  const kept_errno keep;
  const std::size_t number = slot_of(p);
  slot& s = table_[number];
  if (s.is == state::unused || p != s.block) end("free of an address inside of a block", p, s);
  if (s.is == state::freed) end("double free of the block", p, s, "freed again at", from);
  std::byte* const page = page_of(number);
  const std::byte* written = nullptr;
  for_each_near(s, page, [&](const std::byte& near) {
    if (near != guard_pattern && written == nullptr) written = &near;
  });
  s.freed = from;
  s.is = state::freed;
  if (written != nullptr) {
    end(written < s.block ? "write before a block, seen as it is freed"
                          : "write past the end of a block, seen as it is freed",
        written, s);
  }
  os::protect(page, page_bytes_);
  os::purge(page, page_bytes_);
  queue_[(first_ + waiting_) % slots_] = static_cast<std::uint8_t>(number);
  ++waiting_;
}

std::size_t guarded_blocks::bytes_of(const void* p) noexcept {
  const slot& s = table_[slot_of(p)];
  if (s.is == state::in_use && p == s.block) return s.bytes;
  call_stack from;
  find_call_stack(from);
  const bool was_there = s.is == state::freed && p == s.block;
  end(was_there ? "use of a block that was freed" : "use of an address where no block begins", p, s,
      "used at", from);
}

void guarded_blocks::describe(const char* what, const void* at, const slot& s) noexcept {
  error_text out;
  out << "mallard: " << what << ": " << at;
  if (s.is != state::unused) {
    out << ", of " << s.bytes << " bytes at " << s.block << "\n";
    write_stack(out, "allocated at", s.allocated);
    if (s.is == state::freed) write_stack(out, "freed at", s.freed);
  } else {
    out << "\n";
  }
}

void guarded_blocks::end(const char* what, const void* at, const slot& s) noexcept {
  describe(what, at, s);
  std::abort();
}

void guarded_blocks::end(const char* what, const void* at, const slot& s, const char* title,
                         const call_stack& from) noexcept {
  describe(what, at, s);
  {
    error_text out;
    write_stack(out, title, from);
  }
  std::abort();
}

// A page between two slots is past the end of the first and before the second: the one in use
// counts, and if both are, the nearer.
bool guarded_blocks::report(const void* touched, bool writing, const call_stack& at) noexcept {
  if (!holds(touched)) return false;
  const std::size_t page =
      (address_of(touched) - begin_.load(std::memory_order_relaxed)) / page_bytes_;
  const char* what = writing ? "write to a block that was freed" : "use of a block that was freed";
  std::size_t number = slot_of(touched);
  if (page % 2 == 0) {
    const std::size_t next = page / 2;
    const bool has_next = next < slots_ && table_[next].is == state::in_use;
    const bool has_this = page != 0 && table_[number].is == state::in_use;
    const bool is_near_next = address_of(touched) % page_bytes_ >= page_bytes_ / 2;
    const bool is_before = has_next && (!has_this || is_near_next);
    if (is_before) number = next;
    if (has_this || has_next) {
      what = is_before
                 ? (writing ? "write before a block" : "read before a block")
                 : (writing ? "write past the end of a block" : "read past the end of a block");
    }
  }
  describe(what, touched, table_[number]);
  error_text out;
  write_stack(out, "touched at", at);
  return true;
}

}  // namespace mallard::inline v1::detail
