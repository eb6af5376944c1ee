// Purpose: the canaries between the hardened build's blocks; the plain build has none.
#pragma once

#ifdef MALLARD_MALLOC_HARDENED
#include "malloc/hardened/hardened_canary.hpp"
#else
#include "malloc/plain/plain_canary.hpp"
#endif
