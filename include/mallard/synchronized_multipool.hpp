// Purpose: a multipool for many threads: each works on its own slabs, without a lock.
//
//   mallard::synchronized_multipool_resource pool;
//   std::jthread other([&] { std::pmr::vector<int> v(1000, &pool); });
//   std::pmr::list<int> mine(1000, &pool);
//
// Complexity: as multipool_resource. A remote free is handed over with up to 64 others in one
// atomic step, at the latest when the thread that freed it needs memory or ends.
// Thread-safety: any thread may call allocate, deallocate and trim at any time; release, stats and
// the destructor require that no other call is in flight. One thread at a time calls upstream,
// unless it is the page source or the standard library's new_delete_resource(). No other lock of
// the library is held then: upstream may lock, throw, or use other resources.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "mallard/detail/config.hpp"
#include "mallard/detail/resources/thread_heaps.hpp"
#include "mallard/multipool.hpp"
#include "mallard/page_source.hpp"
#include "mallard/pools.hpp"
#include "mallard/resource_ref.hpp"

namespace mallard::inline v1 {

struct synchronized_multipool_options {
  std::size_t empty_slabs_kept = 3;  // for each thread; as in multipool_options

  // As std's pools report theirs: the values that really hold.
  operator std::pmr::pool_options() const noexcept { return detail::actual_pool_options(); }
};

struct synchronized_multipool_stats {
  std::size_t in_use_bytes = 0;    // of blocks in use, rounded up to their size classes
  std::size_t reserved_bytes = 0;  // held from upstream
  std::size_t slabs = 0;
  std::size_t empty_slabs = 0;
  std::size_t orphan_slabs = 0;     // left by threads that have ended, until others adopt them
  std::size_t oversize_blocks = 0;  // above `largest_pooled_bytes`
  std::size_t threads = 0;          // that have used the resource and have not ended
};

// Threads that need memory adopt the slabs of threads that have ended. After a fork the child keeps
// what its one thread had; it loses the free memory of the other threads, whose blocks stay valid.
class MALLARD_API synchronized_multipool_resource
    : public pool_verbs<synchronized_multipool_resource, detail::thread_heaps,
                        synchronized_multipool_options> {
  friend pool_verbs;

 public:
  // The base's constructors, and one that takes std's options and ignores them.
  using pool_verbs::pool_verbs;
  synchronized_multipool_resource() noexcept = default;
  explicit synchronized_multipool_resource(pool_hints,
                                           upstream_ref upstream = page_source::instance()) noexcept
      : pool_verbs(upstream) {}

  // Effects: returns all memory to upstream, including blocks in use; the resource is as new.
  // O(slabs + oversize blocks + threads).
  void release() noexcept { pools_.release(); }

  // Effects: returns the empty slabs of the calling thread and of ended threads to upstream.
  // Returns the bytes.
  std::size_t trim() noexcept { return pools_.trim(); }

  // O(slabs).
  synchronized_multipool_stats stats() const noexcept;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override;
  void* allocate_beyond_table(std::size_t bytes, std::size_t alignment);
  void deallocate_beyond_table(void* p, std::size_t bytes, std::size_t alignment) noexcept;
};

}  // namespace mallard::inline v1
