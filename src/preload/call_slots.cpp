#include "preload/call_slots.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstring>

#include "preload/next.hpp"
#include "unwind/module_of.hpp"

extern "C" {
// Bounds of this library, defined by the linker.
extern const char __ehdr_start __attribute__((visibility("hidden")));
extern const char _end __attribute__((visibility("hidden")));
}

namespace mallard::preload {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t jump_slot = R_X86_64_JUMP_SLOT;
constexpr std::uint32_t data_slot = R_X86_64_GLOB_DAT;
#else
constexpr std::uint32_t jump_slot = R_AARCH64_JUMP_SLOT;
constexpr std::uint32_t data_slot = R_AARCH64_GLOB_DAT;
#endif

// The malloc family, then functions after which modules or programs change; a library of ours may
// lack some of the latter.
constexpr const char* other_symbols[] = {"dlclose", "execve",      "fexecve",     "execv",
                                         "execvp",  "execvpe",     "execl",       "execlp",
                                         "execle",  "posix_spawn", "posix_spawnp"};
constexpr std::size_t hook_count = function_count + sizeof other_symbols / sizeof *other_symbols;

struct hooked_slot {
  void** place;
  void* before;
  void* ours;
  const link_map* module;
  const void* dynamic;  // distinguishes it from another module at the same place
  bool read_only;
};
struct hooked_module {
  const link_map* module;
  const void* dynamic;
};

constexpr std::size_t most_slots = std::size_t{1} << 17;
constexpr std::size_t most_modules = std::size_t{1} << 12;
constexpr std::uint64_t slot_page = 4096;

struct hooks {
  void* ours[hook_count] = {};
  void* theirs[hook_count] = {};
  hooked_slot* slots = nullptr;
  std::size_t slot_count = 0;
  hooked_module* modules = nullptr;
  std::size_t module_count = 0;
  std::atomic<bool> in_use{};
};
constinit hooks hooked{};

bool is_ours(const void* address) noexcept {
  const auto start = reinterpret_cast<std::uintptr_t>(&__ehdr_start);
  return reinterpret_cast<std::uintptr_t>(address) - start <
         reinterpret_cast<std::uintptr_t>(&_end) - start;
}

// Tables of a module's dynamic section, as addresses.
struct dynamic_tables {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela) * slots[2] = {};  // for calls, for data
  std::size_t counts[2] = {};
};

template <class T>
const T* address_in(std::uint64_t bias, std::uint64_t value) noexcept {
  // The dynamic linker has added the bias wherever it could write.
  return reinterpret_cast<const T*>(value < bias ? bias + value : value);
}

dynamic_tables read_dynamic(const ElfW(Dyn) * at, std::uint64_t bias) noexcept {
  dynamic_tables out;
  bool has_addends = true;
  for (; at->d_tag != DT_NULL; ++at) {
    switch (at->d_tag) {
      case DT_SYMTAB:
        out.symbols = address_in<ElfW(Sym)>(bias, at->d_un.d_ptr);
        break;
      case DT_STRTAB:
        out.names = address_in<char>(bias, at->d_un.d_ptr);
        break;
      case DT_JMPREL:
        out.slots[0] = address_in<ElfW(Rela)>(bias, at->d_un.d_ptr);
        break;
      case DT_PLTRELSZ:
        out.counts[0] = at->d_un.d_val / sizeof(ElfW(Rela));
        break;
      case DT_PLTREL:
        has_addends = at->d_un.d_val == DT_RELA;
        break;
      case DT_RELA:
        out.slots[1] = address_in<ElfW(Rela)>(bias, at->d_un.d_ptr);
        break;
      case DT_RELASZ:
        out.counts[1] = at->d_un.d_val / sizeof(ElfW(Rela));
        break;
      default:
        break;
    }
  }
  if (out.symbols == nullptr || out.names == nullptr || !has_addends) out.slots[0] = nullptr;
  if (out.symbols == nullptr || out.names == nullptr) out.slots[1] = nullptr;
  return out;
}

const char* symbol_of_hook(std::size_t which) noexcept {
  return which < function_count ? function_symbols[which] : other_symbols[which - function_count];
}

std::size_t hook_named(const char* name) noexcept {
  // Most names differ in the first letters.
  for (std::size_t i = 0; i < hook_count; ++i) {
    const char* const symbol = symbol_of_hook(i);
    if (symbol[0] == name[0] && symbol[1] == name[1] && std::strcmp(symbol, name) == 0) return i;
  }
  return hook_count;
}

// Finds our own definitions, since a lookup by name may find others. The string table follows the
// symbol table.
void find_ours() noexcept {
  const auto bias = reinterpret_cast<std::uint64_t>(&__ehdr_start);
  const dynamic_tables own = read_dynamic(_DYNAMIC, bias);
  const auto* const end = reinterpret_cast<const ElfW(Sym)*>(own.names);
  for (const ElfW(Sym)* at = own.symbols; at + 1 <= end; ++at) {
    if (at->st_shndx == SHN_UNDEF) continue;
    const std::size_t which = hook_named(own.names + at->st_name);
    if (which != hook_count) hooked.ours[which] = reinterpret_cast<void*>(bias + at->st_value);
  }
}

// Writes a slot. First unlocks its page if that becomes read-only after linking. A module that
// another thread is just linking is still writable and must stay so.
void write_slot(void** place, void* value, bool read_only) noexcept {
  constexpr int populate_for_writing = 23;  // MADV_POPULATE_WRITE of Linux 5.14
  void* const start =
      reinterpret_cast<void*>(reinterpret_cast<std::uint64_t>(place) & ~(slot_page - 1));
  read_only = read_only && madvise(start, slot_page, populate_for_writing) != 0;
  if (read_only && mprotect(start, slot_page, PROT_READ | PROT_WRITE) != 0) return;
  __atomic_store_n(place, value, __ATOMIC_RELEASE);
  if (read_only) mprotect(start, slot_page, PROT_READ);
}

class module_hooks {
 public:
  module_hooks(const dl_phdr_info& info, const link_map* module) noexcept
      : bias_(info.dlpi_addr), module_(module) {
    for (unsigned i = 0; i < info.dlpi_phnum; ++i) {
      const ElfW(Phdr)& part = info.dlpi_phdr[i];
      const std::uint64_t start = bias_ + part.p_vaddr;
      if (part.p_type == PT_DYNAMIC) dynamic_ = reinterpret_cast<const ElfW(Dyn)*>(start);
      if (part.p_type == PT_GNU_RELRO) {
        read_only_start_ = start & ~(slot_page - 1);
        read_only_end_ = (start + part.p_memsz) & ~(slot_page - 1);
      }
      if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0) {
        code_start_ = start;
        code_end_ = start + part.p_memsz;
      }
    }
  }
  const void* dynamic() const noexcept { return dynamic_; }

  void hook() noexcept {
    if (dynamic_ == nullptr) return;
    const dynamic_tables tables = read_dynamic(dynamic_, bias_);
    for (int i = 0; i < 2; ++i) {
      if (tables.slots[i] == nullptr) continue;
      for (std::size_t n = 0; n < tables.counts[i]; ++n) hook_one(tables, tables.slots[i][n]);
    }
  }

 private:
  void hook_one(const dynamic_tables& tables, const ElfW(Rela) & one) noexcept {
    const std::uint64_t type = ELF64_R_TYPE(one.r_info);
    if (type != jump_slot && type != data_slot) return;
    const ElfW(Sym)& symbol = tables.symbols[ELF64_R_SYM(one.r_info)];
    const std::size_t which = hook_named(tables.names + symbol.st_name);
    if (which == hook_count || hooked.ours[which] == nullptr || hooked.theirs[which] == nullptr)
      return;
    auto* const place = reinterpret_cast<void**>(bias_ + one.r_offset);
    void* const before = *place;
    const auto leads_to = reinterpret_cast<std::uint64_t>(before);
    const bool not_yet_bound = type == jump_slot && leads_to >= code_start_ && leads_to < code_end_;
    if (before == hooked.ours[which] || (before != hooked.theirs[which] && !not_yet_bound)) return;
    if (hooked.slot_count == most_slots) return;
    const auto at = reinterpret_cast<std::uint64_t>(place);
    const bool read_only = at >= read_only_start_ && at < read_only_end_;
    hooked.slots[hooked.slot_count++] = {place,   before,   hooked.ours[which],
                                         module_, dynamic_, read_only};
    write_slot(place, hooked.ours[which], read_only);
  }

  std::uint64_t bias_;
  const link_map* module_;
  const ElfW(Dyn) * dynamic_ = nullptr;
  std::uint64_t read_only_start_ = 0;
  std::uint64_t read_only_end_ = 0;
  std::uint64_t code_start_ = 0;
  std::uint64_t code_end_ = 0;
};

bool is_known(const void* dynamic) noexcept {
  for (std::size_t i = 0; i < hooked.module_count; ++i) {
    if (hooked.modules[i].dynamic == dynamic) return true;
  }
  return false;
}

// A try-lock. Waiting might be for ever: its owner may wait for the dynamic linker.
class sole_user {
 public:
  sole_user() noexcept : has_(!hooked.in_use.exchange(true, std::memory_order_acquire)) {}
  ~sole_user() {
    if (has_) hooked.in_use.store(false, std::memory_order_release);
  }
  sole_user(const sole_user&) = delete;
  sole_user& operator=(const sole_user&) = delete;
  explicit operator bool() const noexcept { return has_; }

 private:
  bool has_;
};

int hook_module(dl_phdr_info* info, std::size_t, void*) noexcept {
  const auto* const parts = reinterpret_cast<const char*>(info->dlpi_phdr);
  const auto start = reinterpret_cast<std::uint64_t>(parts);
  const unwind::module_range found = unwind::module_of(start);
  if (found.module == nullptr || is_ours(parts)) return 0;
  if (found.start == getauxval(AT_BASE) || found.start == getauxval(AT_SYSINFO_EHDR)) return 0;
  module_hooks module(*info, found.module);
  if (!is_known(module.dynamic())) {
    if (hooked.module_count == most_modules) return 0;
    hooked.modules[hooked.module_count++] = {found.module, module.dynamic()};
  }
  // Also for a known module, which may have been linked only since.
  module.hook();
  return 0;
}

// While the list is locked, none of its modules goes away.
int unhook_module(dl_phdr_info* info, std::size_t, void*) noexcept {
  const link_map* const module =
      unwind::module_of(reinterpret_cast<std::uint64_t>(info->dlpi_phdr)).module;
  if (module == nullptr) return 0;
  for (std::size_t i = 0; i < hooked.slot_count; ++i) {
    const hooked_slot& one = hooked.slots[i];
    if (one.module != module || module->l_ld != one.dynamic) continue;
    if (__atomic_load_n(one.place, __ATOMIC_ACQUIRE) == one.ours) {
      write_slot(one.place, one.before, one.read_only);
    }
  }
  return 0;
}

template <class T>
bool take_room(T*& out, std::size_t count) noexcept {
  if (out != nullptr) return true;
  void* const memory = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  out = static_cast<T*>(memory);
  return true;
}

bool is_loaded(const hooked_module& one) noexcept {
  const unwind::module_range found =
      unwind::module_of(reinterpret_cast<std::uint64_t>(one.dynamic));
  return found.module == one.module && one.module->l_ld == one.dynamic;
}

// An unloaded module may come back at the same or another place.
void forget_unloaded() noexcept {
  std::size_t kept_modules = 0;
  for (std::size_t i = 0; i < hooked.module_count; ++i) {
    if (is_loaded(hooked.modules[i])) {
      hooked.modules[kept_modules++] = hooked.modules[i];
      continue;
    }
    std::size_t kept = 0;
    for (std::size_t n = 0; n < hooked.slot_count; ++n) {
      if (hooked.slots[n].module != hooked.modules[i].module)
        hooked.slots[kept++] = hooked.slots[n];
    }
    hooked.slot_count = kept;
  }
  hooked.module_count = kept_modules;
}

}  // namespace

bool find_functions_of_program() noexcept {
  for (std::size_t i = function_count; i-- != 0;) {
    void* const found = dlsym(RTLD_DEFAULT, function_symbols[i]);
    next_functions[i] = is_ours(found) ? nullptr : found;
    hooked.theirs[i] = next_functions[i];
  }
  for (std::size_t i = function_count; i < hook_count; ++i) {
    hooked.theirs[i] = dlsym(RTLD_NEXT, symbol_of_hook(i));
  }
  return next_functions[static_cast<std::size_t>(function::malloc)] != nullptr;
}

bool hook_modules() noexcept {
  const sole_user sole;
  if (!sole) return false;
  if (!take_room(hooked.slots, most_slots) || !take_room(hooked.modules, most_modules)) return true;
  if (hooked.ours[0] == nullptr) find_ours();
  forget_unloaded();
  dl_iterate_phdr(hook_module, nullptr);
  return true;
}

bool unhook_modules() noexcept {
  const sole_user sole;
  if (!sole) return false;
  dl_iterate_phdr(unhook_module, nullptr);
  hooked.slot_count = 0;
  hooked.module_count = 0;
  return true;
}

void forget_unloaded_modules() noexcept {
  const sole_user sole;
  if (sole) forget_unloaded();
}

}  // namespace mallard::preload
