#include "mallard/memory/memory_error.hpp"

#include <cstdio>
#include <cstring>

namespace mallard::inline v1 {
namespace {

// strerror_r of the GNU C library, and of POSIX.
[[maybe_unused]] const char* chosen(const char* text, const char*) {
  return text;
}
[[maybe_unused]] const char* chosen(int failed, const char* buffer) {
  return failed == 0 ? buffer : "unknown error";
}

}  // namespace

const char* to_string(memory_fault fault) noexcept {
  switch (fault) {
    case memory_fault::refused:
      return "refused";
    case memory_fault::full:
      return "full";
    case memory_fault::bad_size:
      return "bad_size";
    case memory_fault::bad_alignment:
      return "bad_alignment";
    case memory_fault::bad_limit:
      return "bad_limit";
    case memory_fault::bad_name:
      return "bad_name";
    case memory_fault::not_available:
      return "not_available";
    case memory_fault::not_writable:
      return "not_writable";
    case memory_fault::not_memory:
      return "not_memory";
    case memory_fault::exists:
      return "exists";
    case memory_fault::wrong_file:
      return "wrong_file";
    case memory_fault::wrong_version:
      return "wrong_version";
    case memory_fault::wrong_type:
      return "wrong_type";
    case memory_fault::cut:
      return "cut";
    case memory_fault::damaged:
      return "damaged";
    case memory_fault::not_closed:
      return "not_closed";
    case memory_fault::in_use:
      return "in_use";
  }
  return "?";
}

memory_error::memory_error(memory_fault fault, int error, const char* who,
                           const char* doing) noexcept
    : fault_(fault), error_(error) {
  char words[80] = "";
  const char* const word = chosen(strerror_r(error, words, sizeof words), words);
  std::snprintf(text_, sizeof text_, "%.40s: %.110s: %.80s", who, doing, word);
}

memory_error::~memory_error() = default;

}  // namespace mallard::inline v1
