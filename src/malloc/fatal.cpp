#include "malloc/fatal.hpp"

#include <cstdlib>

#include "malloc/text_out.hpp"

namespace mallard::inline v1::detail {

void fatal(const char* what, const void* where) noexcept {
  error_text() << "mallard: " << what << ": " << where << "\n";
  std::abort();
}

void fatal(const char* call, const char* what, const void* where) noexcept {
  error_text() << "mallard: " << call << " of " << what << ": " << where << "\n";
  std::abort();
}

void warn_size(const char* what, const void* where, std::size_t has, std::size_t said) noexcept {
  error_text() << "mallard: " << what << ": " << where << ", " << has << " bytes, not " << said
               << "\n";
}

void warn(const char* what, const char* detail) noexcept {
  error_text() << "mallard: " << what << detail << "\n";
}

void warn_of_error(const char* what, const char* detail, int error) noexcept {
  error_text() << "mallard: " << what << detail << " (error " << static_cast<std::size_t>(error)
               << ")\n";
}

}  // namespace mallard::inline v1::detail
