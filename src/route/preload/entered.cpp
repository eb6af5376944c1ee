#include "route/preload/entered.hpp"

#include <errno.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstring>

namespace mallard::route {

thread_local constinit entered_scope entered_scopes[most_entered]
    __attribute__((tls_model("initial-exec"), visibility("hidden"))) = {};

#if defined(__x86_64__)

// Each changed function comes here first. r11, which no caller expects anything of, has its
// landing; all other registers are as they were when it goes on with the function. Nothing changes
// where the noted invocation goes on, as in entered_scope::goes_on(): this call is inside of it.
// Else the invocation is noted, and `lost` set where no direct call of the function stands before
// its return address.
extern "C" [[gnu::visibility("hidden")]] void mallard_route_entered() noexcept;
asm(R"(
.pushsection .text
.type mallard_route_entered, @function
.hidden mallard_route_entered
.globl mallard_route_entered
mallard_route_entered:
  .cfi_startproc
  push %rax
  .cfi_adjust_cfa_offset 8
  push %rcx
  .cfi_adjust_cfa_offset 8
  push %rdx
  .cfi_adjust_cfa_offset 8
  mov 8(%r11), %rax
  add %fs:0, %rax
  lea 24(%rsp), %rcx
  mov (%rax), %rdx
  sub %rcx, %rdx
  dec %rdx
  cmp $0x800000, %rdx
  jae 1f
  mov (%rax), %rdx
  mov (%rdx), %rdx
  cmp %rdx, 8(%rax)
  je 2f
1:
  mov %rcx, (%rax)
  mov (%rcx), %rdx
  mov %rdx, 8(%rax)
  incq 16(%rax)
  movslq -4(%rdx), %rcx
  add %rdx, %rcx
  cmp 16(%r11), %rcx
  jne 3f
  cmpb $0xe8, -5(%rdx)
  je 2f
3:
  mov 24(%r11), %rcx
  movb $1, (%rcx)
2:
  pop %rdx
  .cfi_adjust_cfa_offset -8
  pop %rcx
  .cfi_adjust_cfa_offset -8
  pop %rax
  .cfi_adjust_cfa_offset -8
  jmp *(%r11)
  .cfi_endproc
.size mallard_route_entered, .-mallard_route_entered
.popsection
)");
static_assert(offsetof(entered_scope, place) == 0 && offsetof(entered_scope, caller) == 8 &&
              offsetof(entered_scope, serial) == 16 && entered_scope::largest_stack == 0x800000);

namespace {

constexpr std::size_t jump_bytes = 5;       // to a distance of 32 bits
constexpr std::size_t far_jump_bytes = 14;  // to an address behind it
constexpr std::size_t most_moved = 24;

// The place that a changed function jumps to.
struct landing {
  const std::uint8_t* goes_on;  // at `moved`
  std::uint64_t scope;          // relative to the thread's pointer
  const std::uint8_t* function;
  std::atomic<bool>* lost;
  std::uint8_t code[10 + far_jump_bytes];
  std::uint8_t moved[most_moved + far_jump_bytes];
};

void put_far_jump(std::uint8_t* at, const void* to) noexcept {
  constexpr std::uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0};  // to what the next eight bytes say
  std::memcpy(at, jump, sizeof jump);
  std::memcpy(at + sizeof jump, &to, sizeof to);
}

// Memory that a jump from all of the program's code reaches.
landing* landings_near(std::uint64_t program, std::size_t bytes) noexcept {
  constexpr std::uint64_t step = std::uint64_t{1} << 20, most_steps = 1000;
  for (std::uint64_t i = 1; i < most_steps && i * step < program; ++i) {
    void* const wanted = reinterpret_cast<void*>((program - i * step) & ~std::uint64_t{0xfff});
    void* const got = mmap(wanted, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == wanted) return static_cast<landing*>(got);
    if (got != MAP_FAILED) munmap(got, bytes);
  }
  return nullptr;
}

// Only one thread is there.
bool change(const entry_point& one, std::uint8_t* function, landing& to, std::uint64_t scope,
            std::atomic<bool>& lost) noexcept {
  const std::int64_t distance = to.code - (function + jump_bytes);
  if (one.moved < jump_bytes || one.moved > most_moved ||
      distance != static_cast<std::int32_t>(distance)) {
    return false;
  }
  to.goes_on = to.moved;
  to.scope = scope;
  to.function = function;
  to.lost = &lost;
  constexpr std::uint8_t load_r11[] = {0x49, 0xbb};
  const void* const mine = &to;
  std::memcpy(to.code, load_r11, sizeof load_r11);
  std::memcpy(to.code + sizeof load_r11, &mine, sizeof mine);
  put_far_jump(to.code + sizeof load_r11 + sizeof mine,
               reinterpret_cast<const void*>(&mallard_route_entered));
  std::memcpy(to.moved, function, one.moved);
  put_far_jump(to.moved + one.moved, function + one.moved);

  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(function) & ~(page - 1);
  const std::size_t bytes = reinterpret_cast<std::uintptr_t>(function) + jump_bytes - begin;
  void* const pages = reinterpret_cast<void*>(begin);
  if (mprotect(pages, bytes, PROT_READ | PROT_WRITE) != 0) return false;
  const auto near = static_cast<std::int32_t>(distance);
  function[0] = 0xe9;
  std::memcpy(function + 1, &near, sizeof near);
  return mprotect(pages, bytes, PROT_READ | PROT_EXEC) == 0;
}

}  // namespace

bool note_entries(session& all) noexcept {
  if (all.entry_count == 0) return true;
  const int before = errno;
  char path[path_bytes] = {};
  const bool is_read = readlink("/proc/self/exe", path, sizeof path - 1) > 0;
  errno = before;
  if (!is_read || std::strcmp(path, all.entered_program) != 0) {
    return true;  // none of these functions is here
  }
  std::uint64_t bias = 0;  // the program is the first
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) {
        *static_cast<std::uint64_t*>(to) = info->dlpi_addr;
        return 1;
      },
      &bias);
  const std::size_t bytes = all.entry_count * sizeof(landing);
  landing* const landings = landings_near(bias + all.entries[0].start, bytes);
  if (landings == nullptr) return false;
  std::uint64_t self = 0;
  asm("mov %%fs:0, %0" : "=r"(self));
  for (std::uint32_t i = 0; i < all.entry_count; ++i) {
    const entry_point& one = all.entries[i];
    const auto scope = reinterpret_cast<std::uint64_t>(entered_scopes + one.entered);
    if (!change(one, reinterpret_cast<std::uint8_t*>(bias + one.start), landings[i], scope - self,
                all.no_entries)) {
      return false;
    }
  }
  return mprotect(landings, bytes, PROT_READ | PROT_EXEC) == 0;
}

#else

bool note_entries(session&) noexcept {
  return false;
}

#endif

}  // namespace mallard::route
