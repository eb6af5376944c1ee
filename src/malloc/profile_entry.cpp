// The names of mallard/malloc/malloc.h for the heap profile.
#include "mallard/malloc/malloc.h"
#include "malloc/entry.hpp"
#include "malloc/pprof_file.hpp"
#include "malloc/profiling.hpp"
#include "malloc/sampling.hpp"

namespace {

namespace detail = mallard::detail;

}  // namespace

MALLARD_ENTRY int mallard_profile_begin(std::size_t bytes) {
  const detail::kept_errno keep;
  return detail::begin_profile(bytes);
}

MALLARD_ENTRY void mallard_profile_end(void) {
  detail::set_samples(0);
}

MALLARD_ENTRY int mallard_guard(std::size_t calls) {
  const detail::kept_errno keep;
  return detail::begin_guarding(calls);
}

MALLARD_ENTRY int mallard_profile_write(const char* path) {
  return detail::write_pprof(path, detail::existing_file::is_replaced);
}
