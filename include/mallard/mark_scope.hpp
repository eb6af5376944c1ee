// Purpose: a scope of a monotonic resource: what is allocated within it goes at its end, what was
// allocated before stays.
//
//   mallard::monotonic_resource arena;
//   std::pmr::vector<int> stays(100, &arena);
//   {
//     mallard::mark_scope scope(arena);
//     std::pmr::vector<int> goes(100, &arena);
//   }  // the memory of `goes` is reused by the next allocation
//
// Complexity: O(1) to begin, O(chunks taken since) to end. Thread-safety: as the resource.
#pragma once

#include "mallard/detail/config.hpp"

namespace mallard::inline v1 {

// Scopes end in the opposite order of their beginnings. Nothing that was allocated before a scope
// may grow within it, unless it stays where it is.
template <class R>
  requires requires(R& r) { r.rewind(r.mark()); }
class [[nodiscard]] mark_scope {
 public:
  // Effects: marks `resource`, which must outlive the scope.
  explicit mark_scope(R& resource) noexcept : resource_(resource), mark_(resource.mark()) {}
  mark_scope(const mark_scope&) = delete;
  mark_scope& operator=(const mark_scope&) = delete;
  // Effects: frees what was allocated since and keeps the memory for reuse. Destroys first what was
  // made by `create` since; no other destructors run.
  ~mark_scope() { resource_.rewind(mark_); }

 private:
  R& resource_;
  typename R::mark_type mark_;
};

}  // namespace mallard::inline v1
