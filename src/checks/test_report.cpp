#include "mallard/checks/test_report.hpp"

#include <cstdlib>

namespace mallard::inline v1 {
namespace {

void print_stack(const char* what, const call_stack& stack, std::FILE* to) {
  if (stack.count == 0) return;
  std::fprintf(to, " %s:\n", what);
  print(stack, to);
}

void print_line(const test_report& r, std::FILE* to) {
  std::fputs("mallard::test_resource", to);
  if (r.resource != nullptr) std::fprintf(to, " \"%s\"", r.resource);
  std::fprintf(to, ": %s: ", to_string(r.fault));
  if (r.fault == test_fault::effect) {
    std::fprintf(to, "%s\n", r.other);
    return;
  }
  if (r.block != nullptr) std::fprintf(to, "block %p, ", r.block);
  std::fprintf(to, "%zu bytes at alignment %zu", r.bytes, r.alignment);
  if (r.serial != unknown_serial) {
    std::fprintf(to, ", given by allocation %llu with %zu at %zu",
                 static_cast<unsigned long long>(r.serial), r.expected_bytes, r.expected_alignment);
  }
  if (r.inside != nullptr) {
    std::fprintf(to, ", %td bytes into block %p",
                 static_cast<const char*>(r.block) - static_cast<const char*>(r.inside), r.inside);
  }
  if (r.fault == test_fault::wrong_resource) {
    std::fprintf(to, ", of %s", r.other != nullptr ? r.other : "another resource");
  }
  if (r.blocks > 1) std::fprintf(to, ", the oldest of %zu blocks", r.blocks);
  std::fputc('\n', to);
}

}  // namespace

const char* to_string(test_fault fault) noexcept {
  switch (fault) {
    case test_fault::overrun:
      return "overrun";
    case test_fault::underrun:
      return "underrun";
    case test_fault::use_after_free:
      return "use_after_free";
    case test_fault::double_free:
      return "double_free";
    case test_fault::wrong_resource:
      return "wrong_resource";
    case test_fault::foreign_pointer:
      return "foreign_pointer";
    case test_fault::wrong_size:
      return "wrong_size";
    case test_fault::wrong_alignment:
      return "wrong_alignment";
    case test_fault::bad_alignment:
      return "bad_alignment";
    case test_fault::leak:
      return "leak";
    case test_fault::from_default:
      return "from_default";
    case test_fault::effect:
      return "effect";
  }
  return "?";
}

void print(const test_report& r, std::FILE* to) noexcept {
  print_line(r, to);
  if (r.fault == test_fault::leak) {
    for (std::size_t i = 0; i < r.group_count; ++i) {
      const leak_group& g = r.groups[i];
      std::fprintf(to, " %zu bytes in %zu blocks, given:\n", g.bytes, g.blocks);
      print(g.given, to);
    }
    return;
  }
  print_stack("found", r.found, to);
  print_stack("given", r.given, to);
  print_stack("given back before", r.taken_back, to);
}

namespace detail {

void print_and_abort(const test_report& report) noexcept {
  print(report, stderr);
  std::abort();
}

}  // namespace detail
}  // namespace mallard::inline v1
