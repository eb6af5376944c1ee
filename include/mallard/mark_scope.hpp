// Purpose: a scope of a monotonic resource: its end frees what was allocated within it.
//
//   mallard::monotonic_resource arena;
//   std::pmr::vector<int> stays(100, &arena);
//   {
//     mallard::mark_scope scope(arena);
//     std::pmr::vector<int> goes(100, &arena);
//   }  // the next allocation reuses the memory of `goes`
//
// Complexity: O(1) to begin, O(chunks taken since) to end. Thread-safety: as the resource.
#pragma once

#include "mallard/detail/config.hpp"

namespace mallard::inline v1 {

// Scopes end in the reverse order of their beginnings. A block from before a scope must not grow
// within it, neither elsewhere nor in place: the end takes back the room that it grew by, too.
template <class R>
  requires requires(R& r) { r.rewind(r.mark()); }
class [[nodiscard]] mark_scope {
 public:
  // Effects: marks `resource`, which must outlive the scope.
  explicit mark_scope(R& resource) noexcept : resource_(resource), mark_(resource.mark()) {}
  mark_scope(const mark_scope&) = delete;
  mark_scope& operator=(const mark_scope&) = delete;
  // Effects: frees what was allocated since and keeps the memory for reuse. First destroys what
  // `create` made since; no other destructors run.
  ~mark_scope() { resource_.rewind(mark_); }

 private:
  R& resource_;
  typename R::mark_type mark_;
};

}  // namespace mallard::inline v1
