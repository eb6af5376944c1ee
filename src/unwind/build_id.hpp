// Purpose: the build id of a loaded module, read from memory, where the dynamic linker has mapped
// it. The caller says how to read: another thread may unload the module in the meantime.
#pragma once

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "unwind/module_of.hpp"

namespace mallard::unwind {

struct build_id {
  static constexpr std::size_t longest = 32;  // a linker's own have 16 or 20

  std::array<char, longest> bytes{};  // not text
  std::size_t size = 0;               // 0: the module has none, or a longer one
};

// Where a module's program headers are.
struct module_parts {
  std::uint64_t first = 0;
  std::size_t count = 0;
  std::uint64_t bias = 0;   // what is added to addresses in the file
  std::uint64_t begin = 0;  // of what may be read
  std::uint64_t end = 0;
};

// Between parts of the program there may be gaps (ld.lld leaves some), and then its range is that
// of one part only, without the headers. The system has told where these are.
template <class Read>
module_parts parts_of(const module_range& in, Read read) noexcept {
  link_map module{};
  char name = '\0';
  if (in.module == nullptr || !read(&module, in.module, sizeof module)) return {};
  if (module.l_name != nullptr && !read(&name, module.l_name, sizeof name)) return {};
  if (name == '\0') {
    return {getauxval(AT_PHDR), getauxval(AT_PHNUM), module.l_addr, 0, UINT64_MAX};
  }
  ElfW(Ehdr) header{};
  if (in.end - in.start < sizeof header ||
      !read(&header, reinterpret_cast<const void*>(in.start), sizeof header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return {};
  }
  return {in.start + header.e_phoff, header.e_phnum, module.l_addr, in.start, in.end};
}

// `read(to, from, bytes)` returns whether it could. Takes no lock, does not allocate, and needs
// nothing of a C++ runtime even where nothing is inlined.
template <class Read>
build_id build_id_of(const module_range& in, Read read) noexcept {
  const module_parts parts = parts_of(in, read);
  const auto get = [&](auto& to, std::uint64_t from) {
    return from >= parts.begin && from < parts.end && sizeof to <= parts.end - from &&
           read(&to, reinterpret_cast<const void*>(from), sizeof to);
  };
  ElfW(Phdr) part{};
  for (std::size_t i = 0; i < parts.count && get(part, parts.first + i * sizeof part); ++i) {
    if (part.p_type != PT_NOTE) continue;
    const std::uint64_t padding = part.p_align == 8 ? 7 : 3;
    const auto padded = [&](std::uint64_t bytes) { return (bytes + padding) & ~padding; };
    std::uint64_t at = parts.bias + part.p_vaddr;
    const std::uint64_t end = at + part.p_memsz;
    struct {
      ElfW(Nhdr) head;
      char name[sizeof ELF_NOTE_GNU];
    } note{};
    while (at + sizeof note <= end && get(note, at)) {
      const std::uint64_t id = padded(at + sizeof note.head + note.head.n_namesz);
      at = padded(id + note.head.n_descsz);
      if (id + note.head.n_descsz > end) break;
      if (note.head.n_type == NT_GNU_BUILD_ID && note.head.n_namesz == sizeof note.name &&
          std::memcmp(note.name, ELF_NOTE_GNU, sizeof note.name) == 0) {
        build_id found;
        if (note.head.n_descsz > found.bytes.size() ||
            !read(found.bytes.data(), reinterpret_cast<const void*>(id), note.head.n_descsz)) {
          return {};
        }
        found.size = note.head.n_descsz;
        return found;
      }
    }
  }
  return {};
}

}  // namespace mallard::unwind
