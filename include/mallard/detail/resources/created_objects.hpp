// Purpose: the list of objects that an arena destroys when it frees their memory.
//
// An object's record lies in the arena, before the object: the link to the object created before
// it, and the function that destroys it. So the list costs two words an object and no allocation of
// its own, and the newest object is found and destroyed first. A record leaves the list before its
// object is destroyed: what a destructor creates becomes the newest, and is destroyed next.
#pragma once

#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail {

struct created_object {
  created_object* older;
  void (*destroy)(created_object& record) noexcept;
};

class created_objects {
 public:
  created_objects() noexcept = default;
  created_objects(const created_objects&) = delete;
  created_objects& operator=(const created_objects&) = delete;

  MALLARD_ALWAYS_INLINE void add(created_object& record) noexcept {
    record.older = newest_;
    newest_ = &record;
  }

  created_object* newest() const noexcept { return newest_; }

  // Effects: destroys those added since `kept` was the newest, in reverse order.
  MALLARD_ALWAYS_INLINE void destroy_down_to(const created_object* kept) noexcept {
    while (newest_ != kept) [[unlikely]] {
      MALLARD_ASSERT(newest_ != nullptr && "a mark that has ended, or of another resource");
      created_object& record = *newest_;
      newest_ = record.older;
      record.destroy(record);
    }
  }

 private:
  created_object* newest_ = nullptr;
};

}  // namespace mallard::inline v1::detail
