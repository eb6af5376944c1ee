// Reads ELF files without libbacktrace.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "profile/trace/demangled.hpp"
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

// .eh_frame_hdr: a sorted table of pairs of 32-bit distances, counted from the table's header.
std::vector<described_function> described_functions(const std::string& path) {
  elf_file file(path);
  std::vector<described_function> out;
  for (const Elf64_Phdr& segment : file.segments()) {
    if (segment.p_type != PT_GNU_EH_FRAME) continue;
    const std::string bytes = file.bytes(segment.p_offset, segment.p_filesz);
    constexpr std::uint32_t usual = 0x3b031b01;  // version 1, and the encodings all linkers choose
    if (bytes.size() < 12 || load<std::uint32_t>(bytes, 0) != usual) continue;
    const std::size_t entries =
        std::min<std::size_t>(load<std::uint32_t>(bytes, 8), (bytes.size() - 12) / 8);
    const auto address = [&](std::size_t at) {
      return segment.p_vaddr + static_cast<std::uint64_t>(load<std::int32_t>(bytes, at));
    };
    for (std::size_t i = 0; i < entries; ++i) {
      out.push_back({address(12 + 8 * i), address(16 + 8 * i)});
    }
  }
  std::sort(out.begin(), out.end(), [](const described_function& a, const described_function& b) {
    return a.start < b.start;
  });
  return out;
}

const described_function* function_at(const std::vector<described_function>& functions,
                                      std::uint64_t place) {
  const auto after = std::upper_bound(
      functions.begin(), functions.end(), place,
      [](std::uint64_t at, const described_function& one) { return at < one.start; });
  return after == functions.begin() ? nullptr : &*std::prev(after);
}

named_functions functions_of_file(const std::string& path) {
  elf_file file(path);
  named_functions out{.path = path};
  for (const Elf64_Shdr& section : file.sections()) {
    const std::string_view name = file.name_of(section);
    if (name == ".debug_info" || name == ".zdebug_info") out.has_debug_information = true;
    const bool has_symbols = section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM;
    if (!has_symbols || section.sh_link >= file.sections().size()) continue;
    const std::string symbols = file.contents_of(section);
    const std::string names = file.contents_of(file.sections()[section.sh_link]);
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
      const auto one = load<Elf64_Sym>(symbols, at);
      const auto type = ELF64_ST_TYPE(one.st_info);
      const bool is_code = type == STT_FUNC || type == STT_GNU_IFUNC;
      if (!is_code || one.st_shndx == SHN_UNDEF || one.st_name >= names.size()) continue;
      out.names.push_back(demangled(names.c_str() + one.st_name));
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
