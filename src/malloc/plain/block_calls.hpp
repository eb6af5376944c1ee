// Purpose: what the entry points of C and C++ get blocks from and give them to. In the plain build
// and the hardened one, the engine itself.
#pragma once

#include "malloc/engine.hpp"

namespace mallard::inline v1 {

namespace block_calls = detail;

}  // namespace mallard::inline v1
