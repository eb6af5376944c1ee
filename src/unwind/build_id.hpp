// Purpose: the build id of a loaded module, read from memory, where the dynamic linker has mapped
// it.
#pragma once

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "unwind/module_of.hpp"

namespace mallard::unwind {

inline constexpr std::size_t longest_build_id = 32;  // a linker's own have 16 or 20

// Bytes, not text; empty if the module has none, or a longer one than that. Takes no lock, does not
// allocate, and needs nothing of a C++ runtime even where nothing is inlined.
inline std::string_view build_id_of(const module_range& in) noexcept {
  if (in.module == nullptr || in.end - in.start < sizeof(ElfW(Ehdr))) return {};
  const auto* const header = reinterpret_cast<const ElfW(Ehdr)*>(in.start);
  const std::uint64_t parts_end = header->e_phoff + header->e_phnum * sizeof(ElfW(Phdr));
  if (std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || parts_end > in.end - in.start) {
    return {};
  }
  const auto* const parts = reinterpret_cast<const ElfW(Phdr)*>(in.start + header->e_phoff);
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    if (parts[i].p_type != PT_NOTE) continue;
    const std::uint64_t padding = parts[i].p_align == 8 ? 7 : 3;
    const auto padded = [&](std::uint64_t bytes) { return (bytes + padding) & ~padding; };
    std::uint64_t at = in.module->l_addr + parts[i].p_vaddr;
    const std::uint64_t end = at + parts[i].p_memsz;
    if (at < in.start || end > in.end) continue;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const auto* const note = reinterpret_cast<const ElfW(Nhdr)*>(at);
      const auto* const name = reinterpret_cast<const char*>(note + 1);
      const std::uint64_t id = padded(at + sizeof *note + note->n_namesz);
      at = padded(id + note->n_descsz);
      if (id + note->n_descsz > end) break;
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof ELF_NOTE_GNU &&
          std::memcmp(name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0) {
        if (note->n_descsz > longest_build_id) return {};
        return {reinterpret_cast<const char*>(id), note->n_descsz};
      }
    }
  }
  return {};
}

}  // namespace mallard::unwind
