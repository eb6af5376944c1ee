// Purpose: any resource with the checks of a test_resource, and winking out that shows what it
// leaves undone.
//
//   #ifdef MY_CHECKED_BUILD
//   using pool = mallard::checked<mallard::multipool_resource>;
//   #else
//   using pool = mallard::multipool_resource;
//   #endif
//   pool nodes;
//   auto& names = *mallard::make<std::pmr::vector<std::pmr::string>>(nodes);
//   nodes.release();  // runs the destructor of `names` after all, and watches it
//
// Every block has pads and the other checks of a test_resource. release, rewind, reset and the
// destructor first run the destructors of what `make` has made in the resource, newest first. They
// report a destructor that does more than free memory of the resource (test_fault::effect):
//
// - It frees memory of malloc or operator new, or takes a lock of pthreads: seen if a file of the
// program includes watch_program.hpp; frees also with a sanitizer.
// - It frees memory of another test_resource or checked<>: always seen.
// - It writes to a file or a socket by write or writev: seen if there is /proc/thread-self/io.
// - It closes a file: seen if there is /proc/self/fd, also when another thread closes one.
//
// Other effects are not seen: other ways to send data, changed global variables, atomic counters,
// locks other than mutexes and write locks of pthreads, entries in registries. The destructor
// itself must be right.
//
// Expandable blocks and bursts have the same checks. No block grows or shrinks in place, which a
// resource may refuse at any time. It is not checked that deallocate_expandable frees the blocks of
// allocate_expandable.
//
// If R's `deallocate` does something, the destructor reports blocks in use that no release has
// freed as a leak, with their origin. Arenas are exempt.
//
// Complexity: that of test_resource and R, plus some system calls for each object made.
// Thread-safety: as test_resource for allocate, deallocate and make; the others one thread at a
// time.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "mallard/blocks.hpp"
#include "mallard/checks/test_resource.hpp"
#include "mallard/detail/bits.hpp"
#include "mallard/detail/checks/checked_verbs.hpp"
#include "mallard/detail/checks/made_objects.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/failure.hpp"
#include "mallard/detail/resources/by_base.hpp"
#include "mallard/detail/resources/created_objects.hpp"

namespace mallard::inline v1 {

// Options of a checked<>'s checks, instead of the defaults.
struct check_with {
  test_options options = {};
  test_handler on_fault = detail::print_and_abort;
};

namespace detail {

// Returns null if `from` throws.
MALLARD_API void* try_allocate_from(std::pmr::memory_resource& from, std::size_t bytes,
                                    std::size_t alignment) noexcept;

template <class R>
inline constexpr bool takes_nothing_back = requires { requires R::deallocate_is_noop; };

}  // namespace detail

template <std::derived_from<std::pmr::memory_resource> R>
class checked final : public detail::by_base<checked<R>>,
                      public detail::checked_verbs<checked<R>, R>,
                      public detail::checked_marks<R>,
                      public detail::checked_limits<R> {
 public:
  using resource_type = R;

  // Effects: constructs R from the arguments.
  template <class... Args>
    requires std::constructible_from<R, Args...>
  explicit checked(Args&&... args) : resource_(std::forward<Args>(args)...), front_(&resource_) {}
  // Effects: as above; `how` names the checks and takes their reports.
  template <class... Args>
    requires std::constructible_from<R, Args...>
  explicit checked(check_with how, Args&&... args)
      : resource_(std::forward<Args>(args)...),
        front_(how.options, std::move(how.on_fault), &resource_) {}
  checked(const checked&) = delete;
  checked& operator=(const checked&) = delete;
  ~checked() override {
    end_objects();
    if constexpr (detail::takes_nothing_back<R>) front_.forget();
  }

  // Effects and errors: those of test_resource, and of R.
  void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
    return front_.allocate(bytes, alignment);
  }
  void* try_allocate(std::size_t bytes,
                     std::size_t alignment = alignof(std::max_align_t)) noexcept {
    return detail::try_allocate_from(front_, bytes, alignment);
  }
  void deallocate(void* p, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
    made_.remove(p);
    front_.do_deallocate(p, bytes, alignment);  // null, too, which is reported
  }

  // Bursts. Each block is allocated on its own. A block smaller than its link gets room for it;
  // writes there beyond the block's size are not found.
  block_chain allocate_many(std::size_t count, std::size_t bytes,
                            std::size_t alignment = alignof(std::max_align_t))
    requires detail::has_bursts<R>
  {
    return allocate_chain(count, [&](std::size_t) { return bytes; }, alignment);
  }
  template <class Sizes>
    requires requires(R& r, const Sizes& sizes) { r.allocate_many(sizes, sizes.size()); }
  block_chain allocate_many(const Sizes& sizes, std::size_t alignment = alignof(std::max_align_t)) {
    return allocate_chain(sizes.size(), [&](std::size_t i) { return sizes.data()[i]; }, alignment);
  }
  void deallocate_many(block_chain chain, std::size_t bytes,
                       std::size_t alignment = alignof(std::max_align_t))
    requires detail::has_bursts<R>
  {
    while (!chain.empty()) deallocate(chain.pop_front(), bytes, alignment);
  }

  // `make` calls it with what it has made.
  template <class T>
  void on_make(T* object) noexcept {
    using made_type = std::remove_cv_t<T>;
    detail::made_objects::destructor destroy = nullptr;
    if constexpr (!std::is_trivially_destructible_v<T>) {
      destroy = [](void* p) { std::destroy_at(static_cast<made_type*>(p)); };
    }
#ifdef __cpp_rtti
    const char* const type = typeid(T).name();
#else
    const char* const type = "an object";
#endif
    made_.add({const_cast<made_type*>(object), sizeof(T), alignof(T), destroy, type});
  }

  // `create` calls it with what it has made.
  void destroy_with_memory(detail::created_object& record) noexcept
    requires requires(R& r) { r.destroy_with_memory(record); }
  {
    created_.add(record);
  }

  // Effects: destroys what was created and made, checks all blocks, then does what R does.
  void release()
    requires requires(R& r) { r.release(); }
  {
    end_objects();
    front_.forget();
    resource_.release();
  }
  void rewind()
    requires requires(R& r) { r.rewind(); }
  {
    end_objects();
    front_.forget();
    resource_.rewind();
  }
  void reset(std::size_t keep_bytes)
    requires requires(R& r) { r.reset(keep_bytes); }
  {
    end_objects();
    front_.forget();
    resource_.reset(keep_bytes);
  }

  // Effects: as R's; `rewind` also destroys what was made since, and checks its blocks.
  auto mark() const noexcept
    requires requires(const R& r) { r.mark(); }
  {
    return typename checked::mark_type{resource_.mark(), front_.counts().allocations, made_.made(),
                                       created_.newest()};
  }
  template <class Mark>
  void rewind(const Mark& to)
    requires requires(R& r) { r.rewind(to.mark); }
  {
    created_.destroy_down_to(to.created);
    made_.wink_out(to.made);
    front_.forget(to.allocations);
    resource_.rewind(to.mark);
  }

  // As R's. The figures include pads and blocks in quarantine.
  decltype(auto) trim()
    requires requires(R& r) { r.trim(); }
  {
    return resource_.trim();
  }
  auto options() const
    requires requires(const R& r) { r.options(); }
  {
    return resource_.options();
  }
  std::size_t free_bytes() const noexcept
    requires requires(const R& r) { r.free_bytes(); }
  {
    return resource_.free_bytes();
  }
  bool owns(const void* p) const noexcept
    requires requires(const R& r) { r.owns(p); }
  {
    return resource_.owns(p);
  }
  auto stats() const
    requires requires(const R& r) { r.stats(); }
  {
    return resource_.stats();
  }
  std::pmr::memory_resource* upstream_resource() const noexcept
    requires requires(const R& r) { r.upstream_resource(); }
  {
    return resource_.upstream_resource();
  }

  // Returns: the checks, to make calls fail, to count, to verify.
  test_resource& checks() noexcept { return front_; }
  const test_resource& checks() const noexcept { return front_; }
  // Returns: R, for verbs that only R has; they are not checked.
  R& resource() noexcept { return resource_; }

 private:
  // Effects: all or none; block `i` has size_of(i) bytes.
  template <class SizeOf>
  block_chain allocate_chain(std::size_t count, SizeOf size_of, std::size_t alignment) {
    block_chain chain;
    detail::on_failure give_back([&] {
      for (std::size_t i = 0; !chain.empty(); ++i) {
        deallocate(chain.pop_front(), size_of(i), alignment);
      }
    });
    while (chain.size() < count) {
      const std::size_t bytes = size_of(chain.size());
      const std::size_t room = detail::larger(bytes, sizeof(void*));
      chain.push_back(front_.allocate_with_room(bytes, room, alignment));
    }
    give_back.succeeded();
    return chain;
  }

  void end_objects() {
    created_.destroy_down_to(nullptr);
    made_.wink_out();
  }

  R resource_;
  test_resource front_;
  detail::created_objects created_;
  detail::made_objects made_{front_};
};

}  // namespace mallard::inline v1
