// An ELF file of 64 bits, of which parts are read.
#pragma once

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace mallard::profile {

// A file of which parts are read; all reads are checked, as the file may be anything.
class elf_file {
 public:
  explicit elf_file(const std::string& path) : in_(path, std::ios::binary) {
    Elf64_Ehdr header{};
    is_elf_ = read(0, header) && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
    if (!is_elf_ || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_phentsize != sizeof(Elf64_Phdr)) {
      return;
    }
    machine_ = header.e_machine;
    entry_ = header.e_entry;
    for (std::size_t i = 0; i < header.e_phnum; ++i) {
      Elf64_Phdr one{};
      if (!read(header.e_phoff + i * sizeof one, one)) return;
      segments_.push_back(one);
    }
    for (std::size_t i = 0; header.e_shentsize == sizeof(Elf64_Shdr) && i < header.e_shnum; ++i) {
      Elf64_Shdr one{};
      if (!read(header.e_shoff + i * sizeof one, one)) return;
      sections_.push_back(one);
    }
    if (header.e_shstrndx < sections_.size()) names_ = contents_of(sections_[header.e_shstrndx]);
  }

  // Also with another address size; then nothing else of it is known.
  bool is_elf() const { return is_elf_; }
  const std::vector<Elf64_Phdr>& segments() const { return segments_; }
  // Empty if they were stripped off.
  const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  const char* name_of(const Elf64_Shdr& section) const {
    return section.sh_name < names_.size() ? names_.c_str() + section.sh_name : "";
  }
  std::uint16_t machine() const { return machine_; }
  // Where the system starts a program, as an address in the file; 0: nowhere.
  std::uint64_t entry() const { return entry_; }

  template <class T>
  bool read(std::uint64_t offset, T& to) {
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(offset));
    return static_cast<bool>(in_.read(reinterpret_cast<char*>(&to), sizeof to));
  }
  std::string bytes(std::uint64_t offset, std::uint64_t count) {
    constexpr std::uint64_t most = 64u << 20;
    std::string out(static_cast<std::size_t>(std::min(count, most)), '\0');
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(offset));
    in_.read(out.data(), static_cast<std::streamsize>(out.size()));
    out.resize(static_cast<std::size_t>(in_.gcount()));
    return out;
  }
  std::string contents_of(const Elf64_Shdr& section) {
    return section.sh_type == SHT_NOBITS ? std::string()
                                         : bytes(section.sh_offset, section.sh_size);
  }

 private:
  std::ifstream in_;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Shdr> sections_;
  std::string names_;  // of sections
  bool is_elf_ = false;
  std::uint16_t machine_ = EM_NONE;
  std::uint64_t entry_ = 0;
};

}  // namespace mallard::profile
