// Purpose: memory that several processes share and allocate from at the same time.
//
//   mallard::shared_resource shared = mallard::shared_resource::create("orders");
//   long* count = shared.find_or_make<long>("count", 0L);
//   // elsewhere: shared_resource::open("orders"), .find<long>("count")
//   void* p = shared.allocate(100);  // any process may free it
//   mallard::shared_resource::remove("orders");
//
// Its other verbs and its figures are in mallard/memory/segment.hpp.
//
// Complexity: up to 2 KiB O(1), without lock or atomic operation, except for a system call or a
// lock once per slab or so, and an atomic operation for blocks of another's slab; larger blocks at
// worst O(size / 256 KiB). Thread-safety: any thread of any process may call all members.
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

// A process that is killed, wherever it is, leaves the others and the memory intact; at worst the
// block that it was allocating or freeing is lost. Others take over its memory when they need some,
// or by `reclaim`. After a fork the child is another user.
//
// The memory may hold no addresses: pools and arenas over it serve only this process, and cannot be
// put into it (is_shareable_v, checked by the compiler).
class MALLARD_API shared_resource final : public segment_resource {
 public:
  // The most users at once, of all processes.
  static constexpr std::size_t largest_user_count = detail::client_count;

  // Effects: makes shared memory with a name (shm_overview(7)) of up to 250 bytes, without slashes
  // but for one in front; opens what another process has made; or does whichever is possible.
  // Errors: `memory_error`: `refused`, with the system's message; `exists`; `bad_name`;
  // `bad_limit`; `wrong_file`, `wrong_version`, `cut`, `damaged` or `not_closed` if the name is of
  // something else or its maker was killed; `in_use` if there are too many users.
  static shared_resource create(const char* name, shared_options options = {});
  static shared_resource open(const char* name);
  static shared_resource open_or_create(const char* name, shared_options options = {});
  // Effects: removes the name; whoever has the memory open keeps it. False if there was none.
  static bool remove(const char* name);

  // Effects: makes shared memory without a name, for children of a fork and for processes that get
  // `descriptor()`: they `attach` to theirs, which stays the caller's.
  // Errors: as above; `not_memory` if the descriptor is not of a file that can be mapped.
  static shared_resource anonymous(shared_options options = {});
  static shared_resource attach(int descriptor);
  shared_resource() : shared_resource(shared_options{}) {}
  explicit shared_resource(shared_options options);

  ~shared_resource() override;

  // Effects: takes over the free memory of users that ended without closing. Returns their number.
  unsigned reclaim();

 private:
  enum class state { to_be_made, made };
  shared_resource(int descriptor, state s, std::size_t limit_bytes);
  static shared_resource make_named(const char* system_name, int descriptor,
                                    shared_options options);
};

}  // namespace mallard::inline v1
