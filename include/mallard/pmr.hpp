// Purpose: std::pmr's names for our resources: a program that says `mallard::pmr` in place of
// `std::pmr` compiles and behaves as before.
//
//   namespace pmr = mallard::pmr;  // was std::pmr
//   pmr::monotonic_buffer_resource arena(1024);
//   pmr::unsynchronized_pool_resource pool({64, 1024}, &arena);
//   pmr::vector<pmr::string> names(&pool);
//   names.emplace_back("a string long enough to need memory of its own");
//
// Constructors and defaults are std's: without an upstream, memory comes from
// `get_default_resource()`, not from the page source. All else of std::pmr is in this namespace
// too, as far as its headers are included. docs/choosing.md lists the few differences.
//
// Complexity and thread-safety: as monotonic_resource, multipool_resource and
// synchronized_multipool_resource. The three resources derive from these and have their verbs.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "mallard/detail/config.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "mallard/synchronized_multipool.hpp"

namespace mallard::inline v1::pmr {

// A name that is declared here hides the one of std::pmr.
using namespace std::pmr;  // NOLINT: that is the purpose

// A resource whose verbs call the virtual functions, as std's do: a class that derives from it may
// override them.
template <class Base>
class MALLARD_API with_virtual_verbs : public Base {
 public:
  using Base::Base;
  using std::pmr::memory_resource::allocate;
  using std::pmr::memory_resource::deallocate;

 protected:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return Base::allocate(bytes, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    Base::deallocate(p, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
};

class MALLARD_API monotonic_buffer_resource : public with_virtual_verbs<monotonic_resource> {
  using base = with_virtual_verbs<monotonic_resource>;

 public:
  // Allocates nothing before the first request. `upstream` must outlive the resource.
  monotonic_buffer_resource() noexcept : base(*get_default_resource()) {}
  explicit monotonic_buffer_resource(memory_resource* upstream) noexcept : base(upstream) {}
  // The first chunk has room for blocks of `initial_bytes` bytes.
  explicit monotonic_buffer_resource(std::size_t initial_bytes) noexcept
      : monotonic_buffer_resource(initial_bytes, get_default_resource()) {}
  monotonic_buffer_resource(std::size_t initial_bytes, memory_resource* upstream) noexcept
      : base(initial_bytes, upstream) {}
  // Uses the caller's buffer of `bytes` bytes first, and never returns it to upstream.
  monotonic_buffer_resource(void* buffer, std::size_t bytes) noexcept
      : monotonic_buffer_resource(buffer, bytes, get_default_resource()) {}
  monotonic_buffer_resource(void* buffer, std::size_t bytes, memory_resource* upstream) noexcept
      : base(buffer, bytes, upstream) {}
};

// `Pool` with std's constructors. The options have no effect: slabs have their own sizes, and every
// block up to `largest_pooled_bytes` is pooled. `options()` returns what really holds.
template <class Pool>
class MALLARD_API pool_resource : public with_virtual_verbs<Pool> {
  using base = with_virtual_verbs<Pool>;

 public:
  // Allocates nothing before the first request. `upstream` must outlive the resource.
  pool_resource() noexcept : base(get_default_resource()) {}
  explicit pool_resource(memory_resource* upstream) noexcept : base(upstream) {}
  explicit pool_resource(const pool_options& options) noexcept
      : base(options, get_default_resource()) {}
  pool_resource(const pool_options& options, memory_resource* upstream) noexcept
      : base(options, upstream) {}

  pool_options options() const noexcept { return Pool::options(); }
};

class MALLARD_API unsynchronized_pool_resource : public pool_resource<multipool_resource> {
 public:
  using pool_resource::pool_resource;
};
class MALLARD_API synchronized_pool_resource
    : public pool_resource<synchronized_multipool_resource> {
 public:
  using pool_resource::pool_resource;
};

}  // namespace mallard::inline v1::pmr
