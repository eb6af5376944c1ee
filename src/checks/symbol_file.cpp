#include "checks/symbol_file.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace mallard::inline v1::detail {
namespace {

class mapped_file {
 public:
  explicit mapped_file(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat facts{};
    if (fstat(file, &facts) == 0 && facts.st_size > 0) {
      bytes_ = static_cast<std::size_t>(facts.st_size);
      p_ = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
    }
    close(file);
  }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  ~mapped_file() {
    if (p_ != MAP_FAILED) munmap(p_, bytes_);
  }
  std::string_view bytes() const {
    if (p_ == MAP_FAILED) return {};
    return {static_cast<const char*>(p_), bytes_};
  }

 private:
  void* p_ = MAP_FAILED;
  std::size_t bytes_ = 0;
};

template <class T>
bool copy_from(std::string_view file, std::uint64_t offset, T& out) {
  if (offset > file.size() || file.size() - offset < sizeof out) return false;
  std::memcpy(&out, file.data() + offset, sizeof out);
  return true;
}

class elf_file {
 public:
  explicit elf_file(std::string_view bytes) : bytes_(bytes) {
    Elf64_Ehdr head;
    if (!copy_from(bytes, 0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64) {
      return;
    }
    for (unsigned i = 0; i < head.e_shnum; ++i) {
      Elf64_Shdr section;
      if (!copy_from(bytes, head.e_shoff + std::uint64_t{i} * head.e_shentsize, section)) break;
      sections_.push_back(section);
    }
    if (head.e_shstrndx < sections_.size()) names_ = contents(sections_[head.e_shstrndx]);
  }

  std::string_view section(std::string_view name) const {
    for (const Elf64_Shdr& s : sections_) {
      if (text_at(names_, s.sh_name) == name) return contents(s);
    }
    return {};
  }

  void find_functions(const std::uint64_t* addresses, unsigned count, symbol* found) const {
    const Elf64_Shdr* symbols = nullptr;
    for (const Elf64_Shdr& s : sections_) {
      if (s.sh_type == SHT_SYMTAB || (s.sh_type == SHT_DYNSYM && symbols == nullptr)) symbols = &s;
    }
    if (symbols == nullptr || symbols->sh_link >= sections_.size()) return;
    const std::string_view table = contents(*symbols);
    const std::string_view strings = contents(sections_[symbols->sh_link]);
    Elf64_Sym s;
    for (std::uint64_t at = 0; copy_from(table, at, s); at += sizeof s) {
      if (ELF64_ST_TYPE(s.st_info) != STT_FUNC || s.st_shndx == SHN_UNDEF) continue;
      for (unsigned i = 0; i < count; ++i) {
        if (addresses[i] < s.st_value || addresses[i] - s.st_value >= s.st_size) continue;
        found[i].function = text_at(strings, s.st_name);
      }
    }
  }

 private:
  static std::string_view text_at(std::string_view strings, std::uint64_t offset) {
    if (offset >= strings.size()) return {};
    strings.remove_prefix(offset);
    return strings.substr(0, strings.find('\0'));
  }
  std::string_view contents(const Elf64_Shdr& s) const {
    const bool readable = s.sh_type != SHT_NOBITS && (s.sh_flags & SHF_COMPRESSED) == 0;
    if (!readable || s.sh_offset > bytes_.size()) return {};
    return bytes_.substr(s.sh_offset, s.sh_size);
  }

  std::string_view bytes_;
  std::vector<Elf64_Shdr> sections_;
  std::string_view names_;
};

// A name that C++ did not make stays as it is: "f" would be the type float.
std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string out = text != nullptr ? text : name;
  std::free(text);
  return out;
}

}  // namespace

void find_symbols(const char* path, const std::uint64_t* addresses, unsigned count, symbol* found) {
  const mapped_file file(path);
  const elf_file elf(file.bytes());
  elf.find_functions(addresses, count, found);
  std::vector<source_line> lines(count);
  find_lines(
      {elf.section(".debug_line"), elf.section(".debug_line_str"), elf.section(".debug_str")},
      addresses, count, lines.data());
  for (unsigned i = 0; i < count; ++i) {
    found[i].function = demangled(found[i].function);
    found[i].where = std::move(lines[i]);
  }
}

}  // namespace mallard::inline v1::detail
