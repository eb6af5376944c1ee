// Purpose: memory of chosen NUMA nodes: of some, of several in turn, or of the one that runs the
// code. It makes the system calls itself and needs no library.
//
//   if (mallard::numa_resource::available()) {
//     mallard::numa_resource near({.policy = mallard::numa_policy::bind, .nodes = 1});  // node 0
//     mallard::multipool_resource pool(&near);
//     void* p = pool.allocate(100);
//     int node = near.node_of(p);  // -1 while the page has not been touched
//   }
//
// Its other verbs and its figures are in mallard/memory/range.hpp.
//
// Complexity: O(log n) in the number of free parts, plus two system calls for each step that makes
// more pages usable. Thread-safety: none; one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/config.hpp"
#include "mallard/memory/range.hpp"

namespace mallard::inline v1 {

enum class numa_policy {
  bind,        // from these nodes only: a touch without memory there ends the program
  interleave,  // page by page from these nodes in turn
  preferred,   // from the lowest of these nodes; from others if it has none
  local,       // from the node whose processor touches the page first; takes no nodes
};

struct numa_options {
  std::size_t limit_bytes = std::size_t{1} << 30;  // of addresses, which are reserved at once
  numa_policy policy = numa_policy::local;
  std::uint64_t nodes = 0;  // a bit for each
};

struct numa_report {
  std::array<std::size_t, 64> bytes_of_node{};
  std::size_t untouched_bytes = 0;
};

class MALLARD_API numa_resource final : public range_resource {
 public:
  // Returns: whether the kernel has memory policies and lets this process set them.
  static bool available() noexcept { return allowed_nodes() != 0; }
  // Returns: the nodes this process may have memory of, a bit for each; 0 if that is not known.
  static std::uint64_t allowed_nodes() noexcept;

  // Errors: `memory_error`: `not_available` without memory policies, or if one of the nodes is not
  // available; `bad_limit` if the limit is 0, nodes are missing, or `local` has some; `refused`.
  explicit numa_resource(numa_options options);
  numa_resource() : numa_resource(numa_options{}) {}
  ~numa_resource() override;

  // Returns: the node that has the page behind an address; -1: not touched yet.
  int node_of(const void* p) const noexcept;
  // O(pages).
  numa_report obtained() const noexcept;

 private:
  int extend(std::byte* p, std::size_t bytes) noexcept override;

  numa_options options_;
};

}  // namespace mallard::inline v1
