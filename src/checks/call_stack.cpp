#include "mallard/checks/call_stack.hpp"

#include <link.h>

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "checks/symbol_file.hpp"

#if __has_include(<execinfo.h>)
#include <execinfo.h>
#define MALLARD_HAS_BACKTRACE 1
#endif

namespace mallard::inline v1 {

call_stack call_stack::capture([[maybe_unused]] unsigned frames) noexcept {
  call_stack out;
#ifdef MALLARD_HAS_BACKTRACE
  if (frames == 0) return out;
  void* all[most_frames + 1];  // the first is this function
  const int found = backtrace(all, static_cast<int>(std::min(frames, most_frames)) + 1);
  if (found <= 1) return out;
  out.count = static_cast<unsigned>(found) - 1;
  std::copy(all + 1, all + found, out.frames);
#endif
  return out;
}

namespace {

struct frame {
  std::uintptr_t in_memory;  // within the call
  std::string module;
  std::uint64_t in_file = 0;
  detail::symbol symbol;
};

// Finds the file of the program that an address is in.
void locate(frame& one) {
  dl_iterate_phdr(
      [](dl_phdr_info* module, std::size_t, void* context) {
        auto& f = *static_cast<frame*>(context);
        for (unsigned i = 0; i < module->dlpi_phnum; ++i) {
          const auto& part = module->dlpi_phdr[i];
          const std::uintptr_t offset = f.in_memory - module->dlpi_addr;
          if (part.p_type != PT_LOAD || offset - part.p_vaddr >= part.p_memsz) continue;
          f.module = module->dlpi_name[0] != '\0' ? module->dlpi_name : "/proc/self/exe";
          f.in_file = offset;
          return 1;
        }
        return 0;
      },
      &one);
}

std::vector<frame> resolve(const call_stack& stack) {
  std::vector<frame> frames;
  for (unsigned i = 0; i < stack.count; ++i) {
    frame one{reinterpret_cast<std::uintptr_t>(stack.frames[i]) - 1, {}, 0, {}};
    locate(one);
    frames.push_back(std::move(one));
  }
  // Each file is read once.
  std::vector<bool> resolved(frames.size());
  for (std::size_t first = 0; first < frames.size(); ++first) {
    if (resolved[first]) continue;
    std::vector<std::size_t> members;
    std::vector<std::uint64_t> addresses;
    for (std::size_t i = first; i < frames.size(); ++i) {
      if (frames[i].module != frames[first].module) continue;
      members.push_back(i);
      addresses.push_back(frames[i].in_file);
      resolved[i] = true;
    }
    if (frames[first].module.empty()) continue;
    std::vector<detail::symbol> found(members.size());
    detail::find_symbols(frames[first].module.c_str(), addresses.data(),
                         static_cast<unsigned>(members.size()), found.data());
    for (std::size_t i = 0; i < members.size(); ++i) {
      frames[members[i]].symbol = std::move(found[i]);
    }
  }
  return frames;
}

// `void std::f<int>()` is of std, too.
bool is_of_a_library(std::string_view function) {
  for (const std::string_view of : {"mallard::", "std::", "__gnu_cxx::"}) {
    const std::size_t at = function.find(of);
    if (at == std::string_view::npos) continue;
    const std::string_view before = function.substr(0, at);
    if (before.find('(') == std::string_view::npos && before.find('<') == std::string_view::npos &&
        (before.empty() || before.back() == ' ')) {
      return true;
    }
  }
  return false;
}

// The frames up to main, without those of std and of this library.
std::vector<frame> of_the_program(std::vector<frame> frames) {
  const auto main = std::find_if(frames.begin(), frames.end(),
                                 [](const frame& f) { return f.symbol.function == "main"; });
  if (main != frames.end()) frames.erase(main + 1, frames.end());
  std::erase_if(frames, [](const frame& f) { return is_of_a_library(f.symbol.function); });
  return frames;
}

void print_frame(const frame& one, std::FILE* to) {
  if (!one.symbol.function.empty()) std::fprintf(to, "%s ", one.symbol.function.c_str());
  if (one.symbol.where.line != 0) {
    std::fprintf(to, "(%s:%" PRIu64 ")", one.symbol.where.file.c_str(), one.symbol.where.line);
  } else if (!one.module.empty()) {
    std::fprintf(to, "(%s+0x%" PRIx64 ")", one.module.c_str(), one.in_file);
  } else {
    std::fprintf(to, "(0x%" PRIxPTR ")", one.in_memory);
  }
}

}  // namespace

void print(const call_stack& stack, std::FILE* to) noexcept {
  try {
    for (const frame& one : of_the_program(resolve(stack))) {
      std::fputs("  ", to);
      print_frame(one, to);
      std::fputc('\n', to);
    }
  } catch (...) {
    std::fputs("  (no memory to say where)\n", to);
  }
}

void print_place(const call_stack& stack, std::FILE* to) noexcept {
  try {
    const std::vector<frame> frames = of_the_program(resolve(stack));
    if (!frames.empty()) return print_frame(frames.front(), to);
  } catch (...) {
  }
  std::fputs("an unknown place", to);
}

}  // namespace mallard::inline v1
