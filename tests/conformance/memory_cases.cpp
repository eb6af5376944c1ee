// The page source, and the kinds of memory, each by itself and as the upstream of every resource.
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "conformance/families.hpp"
#include "mallard/adaptive_pool.hpp"
#include "mallard/buffered.hpp"
#include "mallard/detail/os/pages.hpp"
#include "mallard/heap.hpp"
#include "mallard/memory/file.hpp"
#include "mallard/memory/huge.hpp"
#include "mallard/memory/mapped.hpp"
#include "mallard/memory/numa.hpp"
#include "mallard/memory/protected.hpp"
#include "mallard/memory/shared.hpp"
#include "mallard/memory/static.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "mallard/page_source.hpp"
#include "mallard/synchronized_heap.hpp"
#include "mallard/synchronized_multipool.hpp"
#include "support/instrumented.hpp"

namespace conformance {
namespace {

// There is one per process, so it is borrowed and not made.
struct borrowed_page_source {
  using type = mallard::page_source;
  static constexpr bool uses_upstream = false;
  mallard::page_source& resource = *mallard::page_source::instance();
  explicit borrowed_page_source(std::pmr::memory_resource*) {}
};

// A sanitizer marks all of a storage each time that one is made.
constexpr std::size_t limit_bytes = std::size_t{1} << (mallard_test::instrumented ? 26 : 30);

// A caller's storage; what is not touched costs nothing.
struct static_holder {
  using type = mallard::static_resource;
  static constexpr bool uses_upstream = false;
  struct unmap {
    void operator()(std::byte* p) const { mallard::detail::os::unmap(p, limit_bytes); }
  };
  std::unique_ptr<std::byte, unmap> storage{
      static_cast<std::byte*>(mallard::detail::os::map(limit_bytes, 4096, false))};
  type resource{storage.get(), limit_bytes};
  explicit static_holder(std::pmr::memory_resource*) {}
};

// Pages in memory at once, between guard pages.
struct guarded_holder {
  using type = mallard::mapped_resource;
  static constexpr bool uses_upstream = false;
  type resource{{.populate = true, .guard_pages = true, .name = "conformance"}};
  explicit guarded_holder(std::pmr::memory_resource*) {}
};

// A file that is gone when it is closed, in memory if possible: its end is waited for.
struct file_holder {
  using type = mallard::file_resource;
  static constexpr bool uses_upstream = false;
  struct path {
    std::string name = (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : testing::TempDir()) +
                       "/mallard_conformance_" + std::to_string(getpid()) + "_" +
                       std::to_string(reinterpret_cast<std::uintptr_t>(this));
    ~path() { unlink(name.c_str()); }
  } at;
  type resource{at.name.c_str(), {.limit_bytes = limit_bytes}};
  explicit file_holder(std::pmr::memory_resource*) {}
};

struct shared_holder {
  using type = mallard::shared_resource;
  static constexpr bool uses_upstream = false;
  type resource{{.limit_bytes = limit_bytes}};
  explicit shared_holder(std::pmr::memory_resource*) {}
};

// Beside another user, who has given back what this one allocates first.
struct shared_with_another_holder : shared_holder {
  type other = type::attach(resource.descriptor());
  explicit shared_with_another_holder(std::pmr::memory_resource* none) : shared_holder(none) {
    for (std::size_t bytes = 16; bytes < 4096; bytes += 16) {
      auto* const p = static_cast<std::byte*>(resource.allocate(bytes));
      auto* const there =
          static_cast<std::byte*>(other.base()) + (p - static_cast<std::byte*>(resource.base()));
      other.deallocate(there, bytes);
    }
  }
};

constexpr mallard::adaptive_pool_options nodes_of_24{.block_bytes = 24};
using adaptive = with_options<mallard::adaptive_pool_resource, nodes_of_24>;

template <class Kind>
void add_kind(std::vector<resource_case>& cases, const std::string& name) {
  cases.push_back(row<Kind>(name));
  const std::size_t alone = cases.size();
  cases.push_back(row<on<plain<mallard::monotonic_resource>, Kind>>(name + " under monotonic"));
  cases.push_back(row<on<plain<mallard::buffered_resource<1024>>, Kind>>(name + " under buffered"));
  cases.push_back(
      pool_row<on<plain<mallard::multipool_resource>, Kind>>(name + " under multipool"));
  cases.push_back(pool_row<on<plain<mallard::synchronized_multipool_resource>, Kind>>(
      name + " under synchronized_multipool"));
  cases.push_back(pool_row<on<plain<mallard::heap_resource>, Kind>>(name + " under heap"));
  cases.push_back(pool_row<on<plain<mallard::synchronized_heap_resource>, Kind>>(
      name + " under synchronized_heap"));
  cases.push_back(pool_row<on<adaptive, Kind>>(name + " under adaptive_pool"));
  for (std::size_t i = alone; i < cases.size(); ++i) cases[i].composed = true;
}

}  // namespace

void add_memory(std::vector<resource_case>& cases) {
  cases.push_back(row<borrowed_page_source>("page_source"));
  add_kind<static_holder>(cases, "static_resource");
  add_kind<by_default<mallard::mapped_resource>>(cases, "mapped_resource");
  cases.push_back(row<guarded_holder>("mapped_resource populated, guarded, named"));
  add_kind<file_holder>(cases, "file_resource");
  add_kind<shared_holder>(cases, "shared_resource");
  cases.push_back(row<shared_with_another_holder>("shared_resource beside another user"));
  add_kind<by_default<mallard::protected_resource>>(cases, "protected_resource");
  add_kind<by_default<mallard::huge_resource>>(cases, "huge_resource");
  if (mallard::numa_resource::available()) {
    add_kind<by_default<mallard::numa_resource>>(cases, "numa_resource");
  }
}

}  // namespace conformance
