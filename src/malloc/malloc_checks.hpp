// Purpose: the checks that the engine makes of blocks. The engine is written against `checks`, and
// compiled once with each of its two forms: the plain build's do nothing.
#pragma once

#ifdef MALLARD_MALLOC_HARDENED
#include "malloc/hardened/hardened_checks.hpp"
#else
#include "malloc/plain/plain_checks.hpp"
#endif

namespace mallard::inline v1::detail {

#ifdef MALLARD_MALLOC_HARDENED
using checks = hardened_checks;
#else
using checks = plain_checks;
#endif

}  // namespace mallard::inline v1::detail
