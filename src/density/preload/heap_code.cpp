#include "density/preload/heap_code.hpp"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstring>

#include "preload/functions.hpp"
#include "preload/stack_walk.hpp"
#include "unwind/module_of.hpp"

namespace mallard::density {
namespace {

using namespace preload;
using namespace unwind;

struct code_range {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};

// Code of the heap's functions, and of a library that is the program's malloc.
code_range ranges[function_count + 1];
std::size_t range_count = 0;
rule_cache rules;
stack_walk walk;
std::atomic_flag walking{};

bool is_heap_code(std::uint64_t ip) noexcept {
  for (std::size_t i = 0; i < range_count; ++i) {
    if (ip - ranges[i].start < ranges[i].end - ranges[i].start) return true;
  }
  return false;
}

#if defined(__x86_64__)
std::uint64_t operand_behind(const unsigned char* at) noexcept {
  std::int32_t offset = 0;
  std::memcpy(&offset, at, sizeof offset);
  return reinterpret_cast<std::uint64_t>(at) + sizeof offset +
         static_cast<std::uint64_t>(std::int64_t{offset});
}

std::uint64_t word_at(std::uint64_t place) noexcept {
  return *reinterpret_cast<const std::uint64_t*>(place);
}

// Returns: the function called before the return address `back`, also through the procedure linkage
// table; 0 if its operand does not tell. Bytes without an unwinding table may be no code.
std::uint64_t called_before(std::uint64_t back) noexcept {
  const module_range here = module_of(back);
  if (here.module == nullptr || back < here.start + 6) return 0;
  if (rules.find(back - 1).how == frame_rule::address::not_described) return 0;
  const auto* const end = reinterpret_cast<const unsigned char*>(back);
  const auto of_slot = [](std::uint64_t slot) {
    return module_of(slot).module != nullptr ? word_at(slot) : 0;
  };
  if (end[-6] == 0xff && end[-5] == 0x15) return of_slot(operand_behind(end - 4));  // call *slot
  if (end[-5] != 0xe8) return 0;
  const std::uint64_t target = operand_behind(end - 4);
  if (module_of(target).module == nullptr) return 0;
  const auto* at = reinterpret_cast<const unsigned char*>(target);
  constexpr unsigned char landing[] = {0xf3, 0x0f, 0x1e, 0xfa};  // endbr64
  if (std::memcmp(at, landing, sizeof landing) == 0) at += sizeof landing;
  if (*at == 0xf2) ++at;
  if (at[0] == 0xff && at[1] == 0x25) return of_slot(operand_behind(at + 2));  // jmp *slot
  return target;
}
#else
std::uint64_t called_before(std::uint64_t) noexcept {
  return 0;
}
#endif

void add_function(const char* name) noexcept {
  void* const found = dlsym(RTLD_DEFAULT, name);
  if (found == nullptr) return;
  Dl_info where{};
  const ElfW(Sym)* symbol = nullptr;
  if (dladdr1(found, &where, const_cast<void**>(reinterpret_cast<const void**>(&symbol)),
              RTLD_DL_SYMENT) == 0 ||
      symbol == nullptr) {
    return;
  }
  const auto start = reinterpret_cast<std::uint64_t>(found);
  ranges[range_count++] = {start, start + (symbol->st_size != 0 ? symbol->st_size : 1)};
}

// A library with a malloc, other than the program and the C library, contains nothing else.
void add_own_library() noexcept {
  const auto address = reinterpret_cast<std::uint64_t>(dlsym(RTLD_DEFAULT, "malloc"));
  const module_range malloc_of = module_of(address);
  if (malloc_of.module == nullptr || *malloc_of.module->l_name == '\0') return;
  const auto c_library =
      reinterpret_cast<std::uint64_t>(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"));
  if (module_of(c_library).module == malloc_of.module) return;
  ranges[range_count++] = {malloc_of.start, malloc_of.end};
}

// For the walk, which numbers stacks. These numbers are not used.
struct no_numbers {
  static std::uint32_t find(std::uint64_t) noexcept { return 0; }
  static std::uint32_t add(std::uint64_t, std::uint32_t, std::uint64_t, std::uint64_t) noexcept {
    return 1;
  }
};

}  // namespace

bool find_heap_code() noexcept {
  if (!rules.open()) return false;
  for (const char* const name : function_symbols) add_function(name);
  add_own_library();
  walk.open(rules, false, 1);
  return range_count != 0;
}

bool is_in_heap(const frame_state& at) noexcept {
  if (is_heap_code(at.ip)) return true;
  while (walking.test_and_set(std::memory_order_acquire)) {
  }
  walk.forget();
  no_numbers numbers;
  walk.node_of(at, true, true, numbers);
  const std::uint64_t interrupted = at.ip;
  const bool found = walk.innermost([&](std::uint64_t ip) {
    if (ip == interrupted) return false;  // inspected above; it has called nothing
    return is_heap_code(ip - 1) || is_heap_code(called_before(ip));
  }) != 0;
  walk.forget();
  walking.clear(std::memory_order_release);
  return found;
}

}  // namespace mallard::density
