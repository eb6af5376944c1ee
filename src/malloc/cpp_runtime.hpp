// Purpose: the parts of the C++ runtime that operator new needs.
#pragma once

#ifdef MALLARD_MALLOC_SHARED
#include "malloc/shared_cpp_runtime.hpp"
#else
#include "malloc/static_cpp_runtime.hpp"
#endif
