// Reads ELF files without libbacktrace.
#include <algorithm>
#include <cstring>

#include "profile/trace/elf_file.hpp"
#include "profile/trace/symbolizer.hpp"

namespace mallard::profile {
namespace {

template <class T>
T load(const std::string& bytes, std::size_t at) {
  T out{};
  std::memcpy(&out, bytes.data() + at, sizeof out);
  return out;
}

}  // namespace

// .eh_frame_hdr: a sorted table of 32-bit distances, of which the first of each pair is a
// function's beginning, counted from the table's header.
std::vector<std::uint64_t> function_starts(const std::string& path) {
  elf_file file(path);
  std::vector<std::uint64_t> out;
  for (const Elf64_Phdr& segment : file.segments()) {
    if (segment.p_type != PT_GNU_EH_FRAME) continue;
    const std::string bytes = file.bytes(segment.p_offset, segment.p_filesz);
    constexpr unsigned char signed4_from_pc = 0x1b, unsigned4 = 0x03, signed4_from_header = 0x3b;
    if (bytes.size() < 12 || bytes[0] != 1) continue;
    const auto encoding = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
    if (encoding(1) != signed4_from_pc || encoding(2) != unsigned4 ||
        encoding(3) != signed4_from_header) {
      continue;
    }
    const std::size_t entries =
        std::min<std::size_t>(load<std::uint32_t>(bytes, 8), (bytes.size() - 12) / 8);
    for (std::size_t i = 0; i < entries; ++i) {
      const auto distance = load<std::int32_t>(bytes, 12 + 8 * i);
      out.push_back(segment.p_vaddr + static_cast<std::uint64_t>(std::int64_t{distance}));
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<bool> after_direct_call(const std::string& path,
                                    const std::vector<std::uint64_t>& places) {
  elf_file file(path);
  std::vector<bool> out(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (const Elf64_Phdr& segment : file.segments()) {
      const std::uint64_t offset = places[i] - segment.p_vaddr;
      if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) || offset < 5 ||
          offset > segment.p_filesz) {
        continue;
      }
      const std::string code = file.bytes(segment.p_offset + offset - 5, 5);
      if (code.size() < 5) continue;
      if (file.machine() == EM_X86_64 && code[0] == '\xe8') {
        // Its target, too, must be code of this file.
        const auto distance = load<std::int32_t>(code, 1);
        const std::uint64_t target = offset + static_cast<std::uint64_t>(std::int64_t{distance});
        out[i] = target < segment.p_filesz;
      } else if (file.machine() == EM_AARCH64) {
        out[i] = (load<std::uint32_t>(code, 1) & 0xfc000000) == 0x94000000;
      }
    }
  }
  return out;
}

std::uint64_t place_of_offset(const std::string& path, std::uint64_t offset) {
  constexpr std::uint64_t page = 4096;
  elf_file file(path);
  for (const Elf64_Phdr& segment : file.segments()) {
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
    if (offset >= segment.p_offset / page * page && offset < segment.p_offset + segment.p_filesz) {
      return segment.p_vaddr + offset - segment.p_offset;
    }
  }
  return offset;
}

std::string build_id_of(const std::string& path) {
  elf_file file(path);
  for (const Elf64_Phdr& segment : file.segments()) {
    if (segment.p_type != PT_NOTE) continue;
    const std::string notes = file.bytes(segment.p_offset, segment.p_filesz);
    const auto padded = [](std::size_t bytes) { return (bytes + 3) / 4 * 4; };
    std::size_t at = 0;
    while (at + sizeof(Elf64_Nhdr) <= notes.size()) {
      const auto note = load<Elf64_Nhdr>(notes, at);
      const std::size_t name = at + sizeof note;
      const std::size_t body = name + padded(note.n_namesz);
      if (body > notes.size() || note.n_descsz > notes.size() - body) break;
      if (note.n_type == NT_GNU_BUILD_ID && notes.compare(name, 3, "GNU") == 0) {
        return notes.substr(body, note.n_descsz);
      }
      at = body + padded(note.n_descsz);
    }
  }
  return {};
}

}  // namespace mallard::profile
