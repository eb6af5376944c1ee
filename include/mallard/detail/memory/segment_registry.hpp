// Purpose: all segments that this process uses, so that a fork's child becomes another user of
// them.
#pragma once

#include "mallard/detail/config.hpp"

namespace mallard::inline v1 {

class segment_resource;

namespace detail {

class segment_registry {
 public:
  static void add(segment_resource& resource) noexcept;
  static void remove(segment_resource& resource) noexcept;

 private:
  static void before_fork() noexcept;
  static void after_fork() noexcept;
  static void in_child() noexcept;
};

}  // namespace detail
}  // namespace mallard::inline v1
