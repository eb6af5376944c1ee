#include "profile/attach/process_memory.hpp"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

namespace mallard::profile {

std::vector<mapping> mappings_of(pid_t pid) {
  std::vector<mapping> out;
  std::ifstream in("/proc/" + std::to_string(pid) + "/maps");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    mapping one;
    char dash = 0;
    std::string rights, offset, device, inode;
    words >> std::hex >> one.range.start >> dash >> one.range.end >> rights >> offset >> device >>
        inode >> std::ws;
    std::getline(words, one.path);
    one.is_code = rights.size() > 2 && rights[2] == 'x';
    out.push_back(std::move(one));
  }
  return out;
}

bool is_named(const mapping& one, std::string_view name) {
  const std::size_t slash = one.path.rfind('/');
  return slash != one.path.npos && std::string_view(one.path).substr(slash + 1).starts_with(name);
}

process_memory::process_memory(pid_t pid)
    : file_(open(("/proc/" + std::to_string(pid) + "/mem").c_str(), O_RDWR | O_CLOEXEC)) {}

process_memory::~process_memory() {
  if (file_ >= 0) close(file_);
}

bool process_memory::read(std::uint64_t address, void* to, std::size_t bytes) const {
  return pread(file_, to, bytes, static_cast<off_t>(address)) == static_cast<ssize_t>(bytes);
}

bool process_memory::write(std::uint64_t address, const void* from, std::size_t bytes) const {
  return pwrite(file_, from, bytes, static_cast<off_t>(address)) == static_cast<ssize_t>(bytes);
}

// In all files that linkers write, the string table follows the symbol table. So its address gives
// the number of symbols.
std::map<std::string, std::uint64_t> process_memory::symbols(std::uint64_t module) const {
  std::map<std::string, std::uint64_t> out;
  const auto header = get<Elf64_Ehdr>(module);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return out;
  std::uint64_t dynamic = 0;
  std::uint64_t bias = module;
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    const auto part = get<Elf64_Phdr>(module + header->e_phoff + i * sizeof(Elf64_Phdr));
    if (!part) return out;
    if (part->p_type == PT_LOAD && part->p_offset == 0) bias = module - part->p_vaddr;
    if (part->p_type == PT_DYNAMIC) dynamic = part->p_vaddr;
  }
  if (dynamic == 0) return out;
  std::uint64_t table = 0, names = 0, names_bytes = 0;
  for (std::uint64_t at = bias + dynamic;; at += sizeof(Elf64_Dyn)) {
    const auto entry = get<Elf64_Dyn>(at);
    if (!entry || entry->d_tag == DT_NULL) break;
    if (entry->d_tag == DT_SYMTAB) table = entry->d_un.d_ptr;
    if (entry->d_tag == DT_STRTAB) names = entry->d_un.d_ptr;
    if (entry->d_tag == DT_STRSZ) names_bytes = entry->d_un.d_val;
  }
  // The dynamic linker has relocated these entries, unless it may not write to the module's table.
  if (table < bias) table += bias;
  if (names < bias) names += bias;
  constexpr std::uint64_t most = std::uint64_t{1} << 26;
  if (names <= table || names - table > most || names_bytes > most) return out;
  std::vector<Elf64_Sym> all((names - table) / sizeof(Elf64_Sym));
  std::string text(names_bytes, '\0');
  if (!read(table, all.data(), all.size() * sizeof(Elf64_Sym))) return out;
  if (!read(names, text.data(), text.size())) return out;
  for (const Elf64_Sym& one : all) {
    const unsigned type = ELF64_ST_TYPE(one.st_info);
    if (one.st_shndx == SHN_UNDEF || one.st_name >= text.size()) continue;
    if (type != STT_FUNC && type != STT_OBJECT) continue;
    out.emplace(text.c_str() + one.st_name, bias + one.st_value);
  }
  return out;
}

}  // namespace mallard::profile
