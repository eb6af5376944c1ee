// A resource of Boost.Container as a std::pmr::memory_resource, over a std::pmr upstream.
#pragma once

#include <boost/container/pmr/memory_resource.hpp>
#include <boost/container/pmr/monotonic_buffer_resource.hpp>
#include <memory_resource>
#include <type_traits>

#include "conformance/suite.hpp"

namespace conformance {

class boost_upstream final : public boost::container::pmr::memory_resource {
 public:
  explicit boost_upstream(std::pmr::memory_resource* to) : to_(to) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return to_->allocate(bytes, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    to_->deallocate(p, bytes, alignment);
  }
  bool do_is_equal(const boost::container::pmr::memory_resource& other) const
      BOOST_NOEXCEPT override {
    return this == &other;
  }
  std::pmr::memory_resource* to_;
};

template <class BoostResource>
class boost_resource final : public std::pmr::memory_resource {
 public:
  static constexpr bool deallocate_is_noop =
      std::is_same_v<BoostResource, boost::container::pmr::monotonic_buffer_resource>;

  explicit boost_resource(std::pmr::memory_resource* upstream)
      : upstream_(upstream), resource_(&upstream_) {}
  void release() { resource_.release(); }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return resource_.allocate(bytes, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    resource_.deallocate(p, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  boost_upstream upstream_;
  BoostResource resource_;
};

}  // namespace conformance
