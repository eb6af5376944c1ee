#include "profile/record/program_check.hpp"

#include <elf.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "profile/trace/elf_file.hpp"
#include "recorder/session.hpp"

namespace mallard::profile {
namespace {

namespace fs = std::filesystem;

bool is_executable(const fs::path& file) {
  std::error_code ignored;
  return access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file, ignored);
}

}  // namespace

std::string find_program(const std::string& word) {
  if (word.find('/') != word.npos) return is_executable(word) ? word : "";
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/bin:/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file = fs::path(folder.empty() ? "." : folder) / word;
    if (is_executable(file)) return file.string();
  }
  return "";
}

namespace {

// "python3" for "#!/usr/bin/env -S python3 -u", "/bin/sh" for "#!/bin/sh -e".
std::string interpreter(std::istream& script) {
  std::string line;
  std::getline(script, line);
  std::istringstream words(line);
  std::string first;
  words >> first;
  if (fs::path(first).filename() != "env") return first;
  std::string word;
  while (words >> word && (word.starts_with("-") || word.find('=') != word.npos)) {
  }
  return word.empty() ? first : find_program(word);
}

// The path of its dynamic linker; "" if it is linked statically.
std::string linker_of(elf_file& elf) {
  constexpr std::uint64_t most = 4096;
  for (const Elf64_Phdr& part : elf.segments()) {
    if (part.p_type != PT_INTERP) continue;
    return elf.bytes(part.p_offset, std::min<std::uint64_t>(part.p_filesz, most)).c_str();
  }
  return "";
}

// The sanitizer, with a malloc of its own, that its dynamic tables name; "" if none.
std::string sanitizer_of(elf_file& elf) {
  for (const Elf64_Shdr& one : elf.sections()) {
    if (one.sh_type != SHT_STRTAB || (one.sh_flags & SHF_ALLOC) == 0) continue;
    const std::string names = elf.contents_of(one);
    for (const auto& [name, sanitizer] : recorder::sanitizer_names) {
      if (names.find(name) != names.npos) return sanitizer;
    }
  }
  return "";
}

bool has_malloc(elf_file& elf) {
  const std::vector<Elf64_Shdr>& all = elf.sections();
  for (const Elf64_Shdr& one : all) {
    if (one.sh_type != SHT_DYNSYM || one.sh_link >= all.size()) continue;
    const std::string names = elf.contents_of(all[one.sh_link]);
    const std::string symbols = elf.contents_of(one);
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol{};
      std::memcpy(&symbol, symbols.data() + at, sizeof symbol);
      if (symbol.st_shndx != SHN_UNDEF && symbol.st_name < names.size() &&
          std::strcmp(names.c_str() + symbol.st_name, "malloc") == 0) {
        return true;
      }
    }
  }
  return false;
}

bool is_privileged(const std::string& file) {
  struct stat found{};
  if (stat(file.c_str(), &found) == 0) {
    if ((found.st_mode & S_ISUID) != 0 && found.st_uid != geteuid()) return true;
    if ((found.st_mode & S_ISGID) != 0 && found.st_gid != getegid()) return true;
  }
  // Root gains no rights from a file.
  return geteuid() != 0 && getxattr(file.c_str(), "security.capability", nullptr, 0) > 0;
}

}  // namespace

bool defines_malloc(const std::string& file) {
  elf_file elf(file);
  return has_malloc(elf);
}

program_check check_program(const std::string& word) {
  program_check out;
  std::string name = word;  // or the interpreter's
  out.file = find_program(word);
  for (int scripts = 0; scripts < 4; ++scripts) {
    if (out.file.empty()) {
      std::error_code ignored;
      out.what = name.find('/') != name.npos && fs::exists(name, ignored)
                     ? obstacle::not_executable
                     : obstacle::no_such_program;
      out.file = name;
      return out;
    }
    std::ifstream in(out.file, std::ios::binary);
    char start[2] = {};
    in.read(start, 2);
    if (start[0] == '#' && start[1] == '!') {
      const std::string wanted = interpreter(in);
      out.file = find_program(wanted);
      if (!wanted.empty()) name = wanted;
      continue;
    }
    elf_file elf(out.file);
    const bool is_valid = !elf.segments().empty();
    const std::string linker = linker_of(elf);
    if (is_privileged(out.file)) {
      out.what = obstacle::privileged;
    } else if (elf.is_elf() && elf.machine() != recorder::own_machine) {
      out.what = obstacle::other_machine;
    } else if (is_valid && linker.empty() && !recorder::is_dynamic_linker(out.file.c_str())) {
      out.what = obstacle::static_program;
    } else if (is_valid && recorder::is_of_musl(linker.c_str())) {
      out.what = obstacle::other_libc;
    } else if (is_valid && !(out.sanitizer = sanitizer_of(elf)).empty()) {
      out.what = obstacle::sanitized;
    } else if (is_valid && has_malloc(elf)) {
      out.what = obstacle::own_malloc;
    }
    break;
  }
  return out;
}

std::string describe(const program_check& found) {
  switch (found.what) {
    case obstacle::none:
      return "";
    case obstacle::no_such_program:
      return found.file + ": no such program";
    case obstacle::not_executable:
      return found.file + ": not an executable file";
    case obstacle::static_program:
      return found.file + " is linked statically: nothing can be preloaded, so nothing is recorded";
    case obstacle::other_libc:
      return found.file +
             " is built for musl, which cannot load libraries built for glibc, so nothing is "
             "recorded";
    case obstacle::privileged:
      return found.file +
             " runs with the rights of another user: preloaded libraries are ignored, so nothing "
             "is recorded";
    case obstacle::sanitized:
      return found.file + " is built with " + found.sanitizer +
             ", which needs its own malloc: record a build without it";
    case obstacle::own_malloc:
      return found.file + " contains its own malloc: calls of that are not recorded";
    case obstacle::other_machine:
      return found.file +
             " is built for another kind of machine than the recorder: nothing is recorded";
    case obstacle::little_room:
      return found.file +
             " may have less address space than a recording needs: nothing is recorded";
    case obstacle::unreachable:
      return found.file +
             " runs as another user or in other namespaces and cannot reach the recorder: nothing "
             "is recorded";
    case obstacle::not_told:
      return found.file +
             " is started with an environment that does not preload the recorder: nothing "
             "is recorded";
  }
  return "";
}

}  // namespace mallard::profile
