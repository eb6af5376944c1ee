// Purpose: every public header of libmallard but the checks.
//
//   mallard::monotonic_resource arena;
//   mallard::multipool_resource pool{&arena};
//   std::pmr::vector<std::pmr::string> names{&pool};
//   names.emplace_back("a string long enough to need memory of its own");
//   names.clear();
#pragma once

#include "mallard/adaptive_pool.hpp"            // IWYU pragma: export
#include "mallard/adaptive_pool_allocator.hpp"  // IWYU pragma: export
#include "mallard/allocator.hpp"                // IWYU pragma: export
#include "mallard/buffered.hpp"                 // IWYU pragma: export
#include "mallard/expandable_allocator.hpp"     // IWYU pragma: export
#include "mallard/heap.hpp"                     // IWYU pragma: export
#include "mallard/monotonic.hpp"                // IWYU pragma: export
#include "mallard/multipool.hpp"                // IWYU pragma: export
#include "mallard/page_source.hpp"              // IWYU pragma: export
#include "mallard/reserved.hpp"                 // IWYU pragma: export
#include "mallard/synchronized_heap.hpp"        // IWYU pragma: export
#include "mallard/synchronized_multipool.hpp"   // IWYU pragma: export
#include "mallard/wink_out.hpp"                 // IWYU pragma: export
