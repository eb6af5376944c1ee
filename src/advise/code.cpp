#include "advise/code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "process/preloadable.hpp"
#include "profile/function_names.hpp"
#include "profile/shell_word.hpp"

namespace mallard::advise {
namespace {

// The largest buffer that goes into a function's frame.
constexpr std::uint64_t most_on_the_stack = 16384;

// One line, whatever a name contains.
std::string remark(const std::string& text) {
  std::string out = text;
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\\') c = ' ';
  }
  return out;
}

// A type for people: what is in its innermost brackets goes first where it is too long.
std::string brief(const std::string& type) {
  constexpr std::size_t most = 80;
  constexpr char cut = '\1';
  std::string out = remark(type);
  while (out.size() > most) {
    const std::size_t end = out.find('>');
    const std::size_t begin = end == out.npos ? out.npos : out.rfind('<', end);
    if (begin == out.npos) break;
    out.replace(begin, end - begin + 1, 1, cut);
  }
  for (std::size_t at = out.find(cut); at != out.npos; at = out.find(cut)) {
    out.replace(at, 1, "<...>");
  }
  return out;
}

class writer {
 public:
  explicit writer(const candidate& what) : what_(what) {
    on_the_stack_ = what.how == strategy::monotonic && what.first_bytes > 0 &&
                    what.first_bytes <= most_on_the_stack;
    type_ = facts_of(what.how).type;
    header_ = facts_of(what.how).header;
    if (on_the_stack_) {
      type_ = fmt::format("mallard::buffered_resource<{}>", what.first_bytes);
      header_ = "mallard/buffered.hpp";
    }
    bound_ = on_the_stack_ ? "mallard::monotonic_resource" : type_;
  }

  std::string write() {
    includes();
    declaration();
    if (what_.where.calls_malloc) {
      direct();
      return text_;
    }
    own_container();
    if (what_.where.container.is_pointer()) {
      pointer();
    } else if (is_own()) {
      if (!what_.where.change) {
        line("{} made{{&resource}};", what_.where.container.in("std::pmr::"));
      }
    } else if (what_.how == strategy::adaptive_pool) {
      nodes();
    } else {
      containers();
    }
    if (what_.where.container.kind.empty() && what_.where.others.empty()) {
      line("// Objects that `new` makes: mallard/new_object.hpp; frames of coroutines:");
      line("// mallard/frame_from.hpp.");
    }
    if (is_arena(what_.how) && what_.ends_with_call) {
      line(
          "// For trees of small containers, mallard/thread_bound.hpp has an allocator that takes");
      line("// no room in them.");
    }
    if (what_.may_wink_out) winked_out();
    return text_;
  }

 private:
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    text_ += fmt::format(format, std::forward<Arguments>(arguments)...) + '\n';
  }

  void includes() {
    if (what_.where.calls_malloc) line("#include <cstring>");
    if (what_.how == strategy::adaptive_pool) line("#include <list>");
    if (what_.where.container.is_pointer()) line("#include <memory>");
    line("#include <memory_resource>");
    std::set<std::string> of_library;
    if (!is_own() || what_.may_wink_out) of_library.insert("vector");
    if (is_own()) {
      for (const std::string& header : what_.where.container.headers()) of_library.insert(header);
    }
    for (const std::string& header : of_library) line("#include <{}>", header);
    text_ += '\n';
    if (what_.where.container.kind == "unique_ptr") {
      line("#include \"mallard/allocate_unique.hpp\"");
    }
    line("#include \"mallard/allocator.hpp\"");
    line("#include \"{}\"", header_);
    if (what_.how == strategy::multipool_on_monotonic) {
      line("#include \"{}\"", facts_of(strategy::monotonic).header);
    }
    if (what_.may_wink_out) line("#include \"mallard/wink_out.hpp\"");
    text_ += '\n';
  }

  void declaration() {
    const std::string place =
        what_.where.function.empty() ? what_.where.subsystem : what_.where.function;
    if (what_.loop) {
      line("// Before the loop at {}:{} in {}. Each turn begins with",
           remark(profile::file_name(what_.loop->file)), what_.loop->first, remark(place));
      line("//   resource.rewind();");
      line("// since all blocks of the turn before are dead then.");
    } else if (is_arena(what_.how) && !what_.ends_with_call) {
      line("// Beside what {} fills. When all its blocks are dead, as between two documents,",
           remark(place));
      line("//   resource.rewind();");
      line("// frees all its memory for reuse.");
    } else if (is_arena(what_.how)) {
      line("// At the beginning of {}, which frees all its memory when it returns.", remark(place));
      if (what_.calls_may_be_turns) {
        line(
            "// If it contains a loop that keeps nothing from one turn to the next, put these "
            "lines");
        line("// inside the loop: otherwise memory grows with each turn.");
      }
      for (const std::string& by : what_.kept_by) {
        line("// Blocks of {} live longer: do not give them the resource.", brief(by));
      }
    } else if (what_.one_for_each_thread) {
      line("// One for each thread, beside what {} fills, which it has to outlive.", remark(place));
    } else {
      line("// Beside what {} fills, which it has to outlive: for instance a member before it.",
           remark(place));
    }
    if (what_.how == strategy::multipool_on_monotonic) {
      line("mallard::monotonic_resource arena{};", first_bytes());
      line("mallard::multipool_resource resource{{&arena}};");
    } else if (on_the_stack_) {
      line("{} resource;", type_);
    } else {
      line("{} resource{};", type_, what_.how == strategy::monotonic ? first_bytes() : "");
    }
    if (what_.may_wink_out) line("mallard::wink_scope scope{{resource}};  // for what is dropped");
  }

  std::string first_bytes() const {
    return what_.first_bytes == 0 ? "" : fmt::format("{{{}}}", what_.first_bytes);
  }

  // Types that need no declaration.
  static bool is_builtin(std::string_view type) {
    constexpr std::array<std::string_view, 10> known = {
        "char",          "short",          "int",          "long",         "float", "double",
        "unsigned char", "unsigned short", "unsigned int", "unsigned long"};
    return std::find(known.begin(), known.end(), type) != known.end();
  }

  // The type that stands in the recorded program is a remark: here it would not compile.
  void containers() { bindings("vector", "Containers"); }
  void nodes() { bindings("list", "Containers of nodes"); }

  // The container that allocates, where it compiles as it is. One of plain elements has its type
  // in the examples already.
  bool is_own() const {
    const container_type& one = what_.where.container;
    return one.is_of_library_alone() && !is_builtin(one.arguments);
  }

  // The user's own line, where it is known.
  void own_container() {
    const code_place& where = what_.where;
    if (where.change) {
      line("\n// {}:{}, bound at run time; `resource` has to be visible there:",
           remark(profile::file_name(where.file)), where.change->line);
      line("// - {}", remark(where.change->before));
      line("// + {}", remark(where.change->after));
    } else if (!where.container.kind.empty() && !where.container.is_pointer()) {
      const std::string becomes = brief(where.container.in("std::pmr::"));
      if (where.container.is_pmr) {
        line("\n// {} allocates: construct it with &resource.", becomes);
      } else {
        line("\n// {} allocates: make it {}, constructed with &resource.",
             brief(where.container.as_it_is()), becomes);
      }
    }
    other_containers();
  }

  // Whoever changes one container alone gets a part of the gain. Those that keep blocks have to
  // stay.
  void other_containers() {
    bool first = true;
    for (const container_use& one : what_.where.others) {
      const std::vector<std::string>& keep = what_.kept_by;
      if (std::find_first_of(one.below.begin(), one.below.end(), keep.begin(), keep.end()) !=
          one.below.end()) {
        continue;
      }
      if (first) {
        const bool is_alone = what_.where.container.kind.empty() && !what_.where.change;
        line("{}",
             is_alone
                 ? "\n// Make what allocates here its std::pmr type, constructed with &resource:"
                 : "// Likewise what else allocates here:");
      }
      first = false;
      const std::string type = brief(one.container.as_it_is());
      const std::string& kind = one.container.kind;
      const char* const maker = kind == "unique_ptr"   ? ", by mallard::allocate_unique"
                                : kind == "shared_ptr" ? ", by std::allocate_shared"
                                                       : "";
      if (one.line == 0) {
        line("// - {}{}", type, maker);
      } else {
        line("// - {}{} ({}:{})", type, maker, remark(profile::file_name(one.file)), one.line);
      }
    }
  }

  // No container allocates, but the program's own code.
  void direct() {
    line("\n// In place of malloc there, and of calloc:");
    line("void* block = resource.allocate(100);  // bytes");
    line("std::memset(block, 0, 100);");
    line("// realloc becomes an allocation and a copy.");
    if (is_arena(what_.how)) {
      line("// Leave out the calls of free for these blocks. What lives longer stays with malloc.");
    } else {
      line("// In place of free, with as many bytes:");
      line("resource.deallocate(block, 100);");
    }
  }

  // A single object in the resource, by the pointer that owned it before.
  void pointer() {
    const container_type& by = what_.where.container;
    const std::string as = is_builtin(by.arguments) ? by.arguments : "int";
    const bool unique = by.kind == "unique_ptr";
    line("\n// std::make_{}<{}> becomes{}", unique ? "unique" : "shared", brief(by.arguments),
         as == by.arguments ? "" : ", with `int` for that type,");
    if (unique) {
      line("std::unique_ptr<{0}, mallard::resource_deleter<{0}, {1}>> owned =", as, bound_);
      line("    mallard::allocate_unique<{}, {}>(resource);", as, bound_);
      line("// and the pointers that own it have this type.");
    } else {
      line("std::shared_ptr<{0}> owned =", as);
      line("    std::allocate_shared<{0}>(mallard::allocator<{0}, {1}>(&resource));", as, bound_);
    }
  }

  void bindings(std::string_view container, std::string_view which) {
    const std::string& of = what_.where.type;
    const std::string as = is_builtin(of) ? of : "int";
    line("\n// {} take it at run time{}", which,
         of.empty() || as == of ? "," : ", with `int` for " + brief(of) + ',');
    line("std::pmr::{}<{}> by_base{{&resource}};", container, as);
    line("// or have it in their type, which saves the virtual calls:");
    line("std::{0}<{1}, mallard::allocator<{1}, {2}>> by_type{{&resource}};", container, as,
         bound_);
  }

  void winked_out() {
    line(
        "\n// An example: a container that owns only memory of the resource need not be "
        "destroyed.");
    line("using winked = std::vector<int, mallard::allocator<int, {}>>;", bound_);
    line("winked& dropped = *mallard::make<winked>(resource);");
    line("dropped.push_back(1);");
  }

  const candidate& what_;
  bool on_the_stack_ = false;
  std::string type_, bound_;
  std::string_view header_;
  std::string text_;
};

// C takes no resource. A heap of a scope's own serves what the function and all that it calls ask
// for by malloc.
std::string scope_in_c(const candidate& what) {
  std::string place = what.where.function.empty() ? what.where.subsystem : what.where.function;
  if (what.loop) {
    place = fmt::format("each turn of the loop at {}:{} in {}", profile::file_name(what.loop->file),
                        what.loop->first, place);
  }
  return fmt::format(
      "#include \"mallard/malloc/malloc.h\"\n\n"
      "// At the beginning of {0}, in a program that is linked with the drop-in malloc:\n"
      "mallard_scope* scope = mallard_scope_begin(0);\n"
      "// and at its end, after the last use of the blocks it requested:\n"
      "mallard_scope_end(scope);\n",
      remark(place));
}

}  // namespace

std::string code_for(const candidate& what, const std::string& command) {
  if (what.how == strategy::global) return {};
  if (is_arena(what.how) && !what.where.is_cpp) return scope_in_c(what);
  if (what.how == strategy::switch_malloc) {
    // A link to what has a space in its path does not last.
    const bool is_linked = process::preloadable(what.malloc_file) != what.malloc_file;
    return fmt::format("LD_PRELOAD={} {}\n",
                       is_linked ? fmt::format("$(mallard doctor --library {})", what.malloc)
                                 : profile::shell_word(what.malloc_file),
                       command);
  }
  return writer(what).write();
}

}  // namespace mallard::advise
