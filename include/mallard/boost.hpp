// Purpose: our resources and std's where Boost takes one of its own, and Boost's where we or std
// take one. For programs that have Boost; no other header includes this one.
//
//   #include <boost/container/pmr/vector.hpp>
//   #include <boost/json.hpp>
//   mallard::monotonic_resource arena;
//   mallard::boost_resource memory(arena);
//   boost::json::value document = boost::json::parse("[1, 2]", &memory);
//   boost::container::pmr::vector<int> numbers(&memory);
//   mallard::from_boost back(*boost::container::pmr::get_default_resource());
//   mallard::multipool_resource pool(&back);
//
// Complexity and thread-safety: as the resource, plus a virtual call on Boost's side.
//
// Boost.JSON's memory_resource is Boost.Container's; its storage_ptr takes a pointer to a
// boost_resource and does not own it. Boost.JSON is told that deallocation does nothing in an
// arena, so it does not destroy values there one by one.
#pragma once

#include <boost/container/pmr/memory_resource.hpp>
#if __has_include(<boost/json/memory_resource.hpp>)
#include <boost/json/memory_resource.hpp>
#endif
#include <cstddef>
#include <memory_resource>
#include <new>

#include "mallard/bindable.hpp"
#include "mallard/detail/bits.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/failure.hpp"
#include "mallard/detail/resources/allocate_from.hpp"
#include "mallard/detail/resources/bump_resource.hpp"

namespace mallard::inline v1 {

// A Boost resource that forwards to `resource`, bound by its type or by base. Two boost_resources
// of one R are equal if their resources are.
template <bindable_resource R = std::pmr::memory_resource>
class boost_resource final : public boost::container::pmr::memory_resource {
 public:
  using resource_type = R;

  // `resource` must outlive this and what is allocated from it.
  explicit boost_resource(R& resource MALLARD_LIFETIMEBOUND) noexcept : resource_(resource) {}

  R& resource() const noexcept { return resource_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return resource_.allocate(bytes, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    resource_.deallocate(p, bytes, alignment);
  }
  bool do_is_equal(const boost::container::pmr::memory_resource& other) const noexcept override {
    const auto* const same = dynamic_cast<const boost_resource*>(&other);
    if (same == nullptr) return false;
    if constexpr (requires { resource_.is_equal(same->resource_); }) {
      return resource_.is_equal(same->resource_);
    } else {
      return &resource_ == &same->resource_;
    }
  }

  R& resource_;
};

// Forwards to one of Boost's resources, by base. These may ignore alignments beyond the fundamental
// one, as Boost's new_delete_resource does. So such blocks are cut out of larger ones, with room
// for the alignment and for a pointer in front.
class from_boost final : public std::pmr::memory_resource {
 public:
  // `resource` must outlive this and what is allocated from it.
  explicit from_boost(
      boost::container::pmr::memory_resource& resource MALLARD_LIFETIMEBOUND) noexcept
      : resource_(resource) {}

  // Effects and errors: those of Boost's resource; std::bad_alloc for sizes beyond any object.
  void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
    if (alignment <= usual_alignment) {
      return detail::allocate_from(resource_, bytes, alignment);
    }
    constexpr std::size_t most = detail::largest_object_bytes;
    if (alignment > most || bytes > most - alignment) detail::fail_allocation();
    auto* const whole = static_cast<std::byte*>(
        detail::allocate_from(resource_, bytes + alignment, usual_alignment));
    const std::size_t at = detail::address_of(whole);
    std::byte* const block = whole + (detail::round_up(at + sizeof(void*), alignment) - at);
    ::new (block - sizeof(void*)) void*(whole);
    return block;
  }
  void deallocate(void* p, std::size_t bytes,
                  std::size_t alignment = alignof(std::max_align_t)) noexcept {
    if (alignment <= usual_alignment) return resource_.deallocate(p, bytes, alignment);
    void* const whole = *reinterpret_cast<void**>(static_cast<std::byte*>(p) - sizeof(void*));
    resource_.deallocate(whole, bytes + alignment, usual_alignment);
  }

  boost::container::pmr::memory_resource& resource() const noexcept { return resource_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return allocate(bytes, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    deallocate(p, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
#ifdef __cpp_rtti
    const auto* const same = dynamic_cast<const from_boost*>(&other);
    return same != nullptr && resource_.is_equal(same->resource_);
#else
    return this == &other;
#endif
  }

  static constexpr std::size_t usual_alignment = alignof(std::max_align_t);

  boost::container::pmr::memory_resource& resource_;
};

}  // namespace mallard::inline v1

#if __has_include(<boost/json/memory_resource.hpp>)
template <class R>
  requires mallard::detail::bump_resource<R>
struct boost::json::is_deallocate_trivial<mallard::boost_resource<R>> {
  static constexpr bool value = true;
};
#endif
