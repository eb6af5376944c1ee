// Purpose: all segments that this process uses, for the child of a fork: it is another user of
// them.
#pragma once

#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail {

class segment_resource;

class segment_registry {
 public:
  static void add(segment_resource& resource) noexcept;
  static void remove(segment_resource& resource) noexcept;

 private:
  static void before_fork() noexcept;
  static void after_fork() noexcept;
  static void in_child() noexcept;
};

}  // namespace mallard::inline v1::detail
