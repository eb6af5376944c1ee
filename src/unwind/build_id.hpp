// Purpose: the build id of a loaded module, read from memory, where the dynamic linker has mapped
// it.
#pragma once

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "unwind/module_of.hpp"

namespace mallard::unwind {

inline constexpr std::size_t longest_build_id = 32;  // a linker's own have 16 or 20

struct module_parts {
  const ElfW(Phdr) * first = nullptr;
  std::size_t count = 0;
  std::uint64_t begin = 0;  // of what may be read
  std::uint64_t end = 0;
};

// Between parts of the program there may be gaps (ld.lld leaves some), and then its range is that
// of one part only, without the headers. The system has told where these are.
inline module_parts parts_of(const module_range& in) noexcept {
  if (in.module == nullptr) return {};
  if (in.module->l_name == nullptr || *in.module->l_name == '\0') {
    return {reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR)), getauxval(AT_PHNUM), 0,
            UINT64_MAX};
  }
  const auto* const header = reinterpret_cast<const ElfW(Ehdr)*>(in.start);
  if (in.end - in.start < sizeof *header) return {};
  const std::uint64_t parts_end = header->e_phoff + header->e_phnum * sizeof(ElfW(Phdr));
  if (std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || parts_end > in.end - in.start) {
    return {};
  }
  return {reinterpret_cast<const ElfW(Phdr)*>(in.start + header->e_phoff), header->e_phnum,
          in.start, in.end};
}

// Bytes, not text; empty if the module has none, or a longer one than that. Takes no lock, does not
// allocate, and needs nothing of a C++ runtime even where nothing is inlined.
inline std::string_view build_id_of(const module_range& in) noexcept {
  const module_parts parts = parts_of(in);
  for (std::size_t i = 0; i < parts.count; ++i) {
    if (parts.first[i].p_type != PT_NOTE) continue;
    const std::uint64_t padding = parts.first[i].p_align == 8 ? 7 : 3;
    const auto padded = [&](std::uint64_t bytes) { return (bytes + padding) & ~padding; };
    std::uint64_t at = in.module->l_addr + parts.first[i].p_vaddr;
    const std::uint64_t end = at + parts.first[i].p_memsz;
    if (at < parts.begin || end > parts.end) continue;
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
