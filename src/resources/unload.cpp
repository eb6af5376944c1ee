// The end of a plug-in that is unloaded: its memory goes back to the system. Embedded library only.
#include "mallard/detail/resources/address_ranges.hpp"
#include "mallard/detail/resources/heap_registry.hpp"
#include "mallard/detail/resources/upstream_lock.hpp"
#include "mallard/page_source.hpp"

namespace mallard::inline v1::detail {

// Runs after the destructors of the plug-in's static objects, which have no such number. The linker
// is told to take it by this name.
extern "C" [[gnu::destructor(101), gnu::visibility("hidden")]] void mallard_embedded_unload() {
  drop_tables();
  drop_unused_locks();
  page_source::instance()->set_caching(false);
  page_source::instance()->trim();
  drop_kept_ranges();
}

}  // namespace mallard::inline v1::detail
