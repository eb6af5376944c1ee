// Purpose: memory that several processes share, and allocate from at the same time.
//
//   mallard::shared_resource shared = mallard::shared_resource::create("orders");
//   long* count = shared.find_or_make<long>("count", 0L);
//   // elsewhere: shared_resource::open("orders"), .find<long>("count")
//   void* p = shared.allocate(100);  // may be given back by any process
//   mallard::shared_resource::remove("orders");
//
// Its other verbs and its figures are in mallard/memory/segment.hpp.
//
// Complexity: up to 2 KiB O(1), without lock or atomic operation but for a system call or a lock
// for every slab or so, and an atomic operation for blocks of another's slab; larger blocks O(size
// / 256 KiB) at worst. Thread-safety: all members may be called from any thread, of any process.
#pragma once

#include <cstddef>

#include "mallard/detail/config.hpp"
#include "mallard/memory/memory_error.hpp"
#include "mallard/memory/segment.hpp"

namespace mallard::inline v1 {

struct shared_options {
  std::size_t limit_bytes = std::size_t{64} << 20;  // memory comes as it is needed
  unsigned permissions = 0600;                      // of a name
};

// A process that is killed, wherever it is, leaves the others and the memory as they should be; at
// worst the block that it was just getting or giving back is lost. What it had to itself, others
// take over when they need memory, or by `reclaim`. After a fork the child is another user.
//
// Nothing in the memory may be an address: pools and arenas over it serve this process alone, and
// none of them can be put into it (is_shareable_v, checked by the compiler).
class MALLARD_API shared_resource final : public segment_resource {
 public:
  // The most users at once, of all processes.
  static constexpr std::size_t largest_user_count = detail::client_count;

  // Effects: makes shared memory, with a name (shm_overview(7)) of up to 250 bytes, without slashes
  // but for one in front; or opens what another process has made; or whichever it takes.
  // Errors: `memory_error`: `refused` with the system's word; `exists`; `bad_name`; `bad_limit`;
  // `wrong_file`, `wrong_version`, `cut`, `damaged` and `not_closed` when what has the name is not
  // shared memory of this library, or its maker was killed; `in_use` when there are too many users.
  static shared_resource create(const char* name, shared_options options = {});
  static shared_resource open(const char* name);
  static shared_resource open_or_create(const char* name, shared_options options = {});
  // Effects: takes the name away; who has the memory open keeps it. False when there was none.
  static bool remove(const char* name);

  // Effects: shared memory without a name: for children of a fork, and for whom `descriptor()` is
  // sent to, who attach to theirs. It stays the caller's.
  // Errors: as above; `not_memory` when the descriptor is none of a file that can be mapped.
  static shared_resource anonymous(shared_options options = {});
  static shared_resource attach(int descriptor);
  shared_resource() : shared_resource(shared_options{}) {}
  explicit shared_resource(shared_options options);

  ~shared_resource() override;

  // Effects: takes over the free memory of users that ended without closing. Returns how many.
  unsigned reclaim();

 private:
  enum class state { to_be_made, made };
  shared_resource(int descriptor, state s, std::size_t limit_bytes);
  static shared_resource make_named(const char* system_name, int descriptor,
                                    shared_options options);
};

}  // namespace mallard::inline v1
