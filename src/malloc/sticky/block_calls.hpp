// Purpose: the engine as the entry points of the sticky build see it.
#pragma once

#include "malloc/sticky/sticky_block.hpp"

namespace mallard::inline v1 {

namespace block_calls = detail::sticky;

}  // namespace mallard::inline v1
