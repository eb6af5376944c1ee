#include "profile/function_names.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>

namespace mallard::profile {
namespace {

bool starts_with_any(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// Returns: the position of the bracket that closes the one at `from`; npos if none.
std::size_t closing(std::string_view name, std::size_t from) {
  int open = 0;
  for (std::size_t i = from; i < name.size(); ++i) {
    if (name[i] == '(' || name[i] == '{') ++open;
    if ((name[i] == ')' || name[i] == '}') && --open == 0) return i;
  }
  return name.npos;
}

// Whether the text consists of words that may follow parameters: qualifiers and remarks in
// brackets.
bool is_qualifiers(std::string_view text) {
  static constexpr std::string_view known[] = {" const", " volatile", " noexcept", " &&", " &"};
  const auto is_remark = [](std::string_view rest) {
    return starts_with_any(rest, {" [", "[", " (.", " requires "});
  };
  while (!text.empty() && !is_remark(text)) {
    const auto* const found =
        std::find_if(std::begin(known), std::end(known),
                     [&](std::string_view one) { return text.starts_with(one); });
    if (found == std::end(known)) return false;
    text.remove_prefix(found->size());
  }
  return true;
}

// Rust's library, also by names that only a demangler of Rust could read.
bool is_allocation_of_rust(std::string_view name) {
  if (name.starts_with("_R")) {
    return name.find("_5alloc5alloc") != name.npos || name.find("_5alloc7raw_vec") != name.npos;
  }
  return starts_with_any(name, {"__rust_", "__rdl_", "__rg_", "alloc::alloc::", "alloc::raw_vec::",
                                "<alloc::alloc::", "<alloc::raw_vec::"});
}

}  // namespace

bool is_start_of_thread(std::string_view name) {
  static constexpr std::string_view names[] = {"_start",
                                               "__libc_start_main",
                                               "__libc_start_call_main",
                                               "__libc_start_main_impl",
                                               "generic_start_main",
                                               "clone",
                                               "__clone",
                                               "clone3",
                                               "__clone3",
                                               "start_thread",
                                               "execute_native_thread_routine",
                                               "_M_run",
                                               "_dl_start_user",
                                               "_dl_init",
                                               "call_init",
                                               "__start_context"};
  if (std::find(std::begin(names), std::end(names), name) != std::end(names)) return true;
  // The standard library's functions between a thread's start and the function that it was given.
  return starts_with_any(
      name, {"std::thread::", "std::jthread::", "std::__invoke", "std::invoke",
             "void std::__invoke", "void std::invoke", "__libc_start_", "std::__1::__thread_",
             "void* std::__1::__thread_", "void std::__1::__thread_", "std::this_thread::",
             // Debug information names them without their classes.
             "_M_invoke<", "__invoke<", "__invoke_impl<", "__thread_proxy", "__thread_execute"});
}

bool is_allocation_function(std::string_view name) {
  static constexpr std::string_view names[] = {"malloc",
                                               "calloc",
                                               "realloc",
                                               "reallocarray",
                                               "memalign",
                                               "aligned_alloc",
                                               "posix_memalign",
                                               "valloc",
                                               "pvalloc",
                                               "free",
                                               "cfree",
                                               "strdup",
                                               "__strdup",
                                               "__cxa_allocate_exception",
                                               "__cxa_free_exception"};
  // In a statically linked malloc, functions may have glibc's alternative names.
  constexpr std::string_view of_libc = "__libc_";
  const std::string_view plain = name.starts_with(of_libc) ? name.substr(of_libc.size()) : name;
  if (std::find(std::begin(names), std::end(names), plain) != std::end(names)) return true;
  if (starts_with_any(
          name, {"mallard::v1_of_malloc::", "void* mallard::v1_of_malloc::", "operator new",
                 "operator delete", "std::allocator", "__gnu_cxx::new_", "std::__new_allocator",
                 "std::__1::allocator", "std::__allocate", "std::__detail::_Hashtable_alloc",
                 "std::_Vector_base", "std::pmr::polymorphic_allocator"})) {
    return true;
  }
  return is_allocation_of_rust(name) || name.find("::_M_allocate") != name.npos ||
         name.find("::_M_deallocate") != name.npos || name.find("::_M_create(") != name.npos ||
         name.find("::_M_get_node") != name.npos;
}

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

bool is_of_library_header(std::string_view function_name, std::string_view file) {
  static constexpr std::string_view inside[] = {"/include/c++/",      "/lib/gcc/",
                                                "/lib/llvm",          "/library/alloc/src/",
                                                "/library/core/src/", "/library/std/src/"};
  if (starts_with_any(file, {"/usr/include/", "/usr/local/include/"})) return true;
  if (std::any_of(std::begin(inside), std::end(inside),
                  [&](std::string_view folder) { return file.find(folder) != file.npos; })) {
    return true;
  }
  return starts_with_any(short_name(std::string(function_name)),
                         {"std::", "__gnu_cxx::", "boost::", "nlohmann::", "rapidjson::", "fmt::",
                          "absl::", "Eigen::"});
}

std::string nameless_in(std::string_view module) {
  if (module.empty()) return "???";
  return "??? (" + std::string(module.substr(module.rfind('/') + 1)) + ')';
}

bool is_nameless(std::string_view name) {
  return name.find("+0x") != name.npos || name.starts_with("???");
}

std::string_view without_clone(std::string_view name) {
  const std::size_t clone = name.find(" [clone .");
  if (clone != name.npos) return name.substr(0, clone);
  std::size_t end = name.size();
  for (const std::string_view suffix : {".cold", ".part", ".isra", ".constprop"}) {
    for (std::size_t at = name.find(suffix, 1); at < end; at = name.find(suffix, at + 1)) {
      const std::string_view rest = name.substr(at + suffix.size());
      if (rest.empty() || rest.front() == '.') end = at;
    }
  }
  return name.substr(0, end);
}

// Names that do not parse as C++ are not C++: they stay whole.
std::string short_name(const std::string& name) {
  std::string out;
  int depth = 0;
  bool typed = false;       // something came before a blank
  bool parameters = false;  // only C++ names have them, and return types before them
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool operator_before = out.ends_with("operator") || out.ends_with("operator<");
    if (c == '<' && !operator_before) ++depth;
    if (depth == 0 && c == '{') {
      // "{lambda(int)#1}" is a name.
      const std::size_t end = closing(name, i);
      if (end == name.npos) return name;
      out += name.substr(i, end - i + 1);
      i = end;
      continue;
    }
    if (depth == 0 && name.compare(i, 5, "[abi:") == 0) {
      // The library's version is part of a type's name, not of what people call the function.
      const std::size_t end = name.find(']', i);
      if (end == name.npos) return name;
      i = end;
      continue;
    }
    if (depth == 0 && c == '(') {
      // "(anonymous namespace)" and "operator()" are names; parameters end one.
      if (name.compare(i, 21, "(anonymous namespace)") == 0) {
        out += "(anonymous namespace)";
        i += 20;
        continue;
      }
      if (out.ends_with("operator") && i + 1 < name.size() && name[i + 1] == ')') {
        out += "()";
        ++i;
        continue;
      }
      // Text after the parameters belongs to the name only if it is a function inside this one.
      const std::size_t end = closing(name, i);
      if (end == name.npos) return name;
      const std::size_t local = name.find("::", end);
      const std::size_t until = std::min(local, name.size());
      if (!is_qualifiers(std::string_view(name).substr(end + 1, until - end - 1))) return name;
      parameters = true;
      if (local == name.npos) break;
      i = local - 1;
      continue;
    }
    if (depth == 0) {
      const bool conversion = out.ends_with("operator") || out.find("operator ") != out.npos;
      if (c == ' ' && !operator_before && !conversion) {
        out.clear();  // it was a return type
        typed = true;
      } else {
        out.push_back(c);
      }
    }
    if (c == '>' && depth > 0) --depth;
  }
  const bool whole = out.empty() || out.starts_with("::") || depth != 0 || (typed && !parameters);
  return whole ? name : out;
}

std::string namespace_of(const std::string& function_name) {
  const std::string name = short_name(function_name);
  const std::size_t last = name.rfind("::");
  return last == name.npos ? std::string() : name.substr(0, last);
}

}  // namespace mallard::profile
