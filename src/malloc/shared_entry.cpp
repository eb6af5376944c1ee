#include "malloc/thread_exit.hpp"

namespace {

// It is linked with `-z nodelete`.
[[gnu::constructor]] void note_kind_of_library() {
  mallard::detail::stays_loaded();
}

}  // namespace
