// Purpose: all resources, and what binds containers and objects to them. Kinds of memory
// (mallard/memory), checks (mallard/checks), std's names (mallard/pmr.hpp), Boost's
// (mallard/boost.hpp) and the profiler's scopes (mallard/profile.hpp) have headers of their own.
//
//   mallard::monotonic_resource arena;
//   mallard::multipool_resource pool{&arena};
//   std::pmr::vector<std::pmr::string> names{&pool};
//   names.emplace_back("a string long enough to need memory of its own");
//   names.clear();
#pragma once

#include "mallard/adaptive_pool.hpp"            // IWYU pragma: export
#include "mallard/adaptive_pool_allocator.hpp"  // IWYU pragma: export
#include "mallard/allocate_unique.hpp"          // IWYU pragma: export
#include "mallard/allocator.hpp"                // IWYU pragma: export
#include "mallard/arena.hpp"                    // IWYU pragma: export
#include "mallard/bindable.hpp"                 // IWYU pragma: export
#include "mallard/blocks.hpp"                   // IWYU pragma: export
#include "mallard/buffered.hpp"                 // IWYU pragma: export
#include "mallard/copy.hpp"                     // IWYU pragma: export
#include "mallard/create.hpp"                   // IWYU pragma: export
#include "mallard/expandable_allocator.hpp"     // IWYU pragma: export
#include "mallard/extended_allocator.hpp"       // IWYU pragma: export
#include "mallard/failure_callback.hpp"         // IWYU pragma: export
#include "mallard/fallback.hpp"                 // IWYU pragma: export
#include "mallard/frame_from.hpp"               // IWYU pragma: export
#include "mallard/heap.hpp"                     // IWYU pragma: export
#include "mallard/mark_scope.hpp"               // IWYU pragma: export
#include "mallard/monotonic.hpp"                // IWYU pragma: export
#include "mallard/multipool.hpp"                // IWYU pragma: export
#include "mallard/new_object.hpp"               // IWYU pragma: export
#include "mallard/node_bytes.hpp"               // IWYU pragma: export
#include "mallard/object_pool.hpp"              // IWYU pragma: export
#include "mallard/page_source.hpp"              // IWYU pragma: export
#include "mallard/reserved.hpp"                 // IWYU pragma: export
#include "mallard/resource_handle.hpp"          // IWYU pragma: export
#include "mallard/resource_ref.hpp"             // IWYU pragma: export
#include "mallard/scratch.hpp"                  // IWYU pragma: export
#include "mallard/segregating.hpp"              // IWYU pragma: export
#include "mallard/synchronized.hpp"             // IWYU pragma: export
#include "mallard/synchronized_heap.hpp"        // IWYU pragma: export
#include "mallard/synchronized_multipool.hpp"   // IWYU pragma: export
#include "mallard/thread_bound.hpp"             // IWYU pragma: export
#include "mallard/typed.hpp"                    // IWYU pragma: export
#include "mallard/version.hpp"                  // IWYU pragma: export
#include "mallard/wink_out.hpp"                 // IWYU pragma: export
#include "mallard/winkable.hpp"                 // IWYU pragma: export
