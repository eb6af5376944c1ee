#include "malloc/thread_exit.hpp"

namespace {

// The shared library is linked with `-z nodelete`: `dlclose` leaves it where it is.
[[gnu::constructor]] void note_kind_of_library() {
  mallard::detail::stays_loaded();
}

}  // namespace
