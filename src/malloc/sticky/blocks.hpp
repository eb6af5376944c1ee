// Purpose: what the entry points of the sticky build get blocks from: the engine, with a record.
#pragma once

#include "malloc/sticky/sticky_block.hpp"

namespace mallard::inline v1::detail::blocks {

using sticky::allocate;
using sticky::allocate_aligned;
using sticky::allocate_from;
using sticky::allocate_zeroed;
using sticky::reallocate;
using sticky::usable_bytes;

}  // namespace mallard::inline v1::detail::blocks
