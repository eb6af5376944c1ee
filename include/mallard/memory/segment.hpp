// Purpose: the verbs that files and shared memory share: blocks, and objects found by their names.
//
//   mallard::shared_resource shared;
//   long* count = shared.make<long>("count", 0L);
//   assert(shared.find<long>("count") == count);  // in any process that has the memory mapped
//   shared.destroy<long>("count");
//   shared.verify();
//
// Complexity: up to 2 KiB O(1); larger blocks at worst O(size / 256 KiB). Thread-safety: any thread
// may call all members.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <mutex>
#include <new>
#include <utility>

#include "mallard/detail/config.hpp"
#include "mallard/detail/core/size_classes.hpp"
#include "mallard/detail/failure.hpp"
#include "mallard/detail/memory/segment.hpp"
#include "mallard/detail/memory/segment_client.hpp"
#include "mallard/detail/os/threads.hpp"
#include "mallard/detail/resources/by_base.hpp"
#include "mallard/memory/shareable.hpp"

namespace mallard::inline v1 {

struct segment_stats {
  std::size_t limit_bytes = 0;   // never more
  std::size_t usable_bytes = 0;  // of these, obtained so far
  std::size_t in_use_bytes = 0;  // of these, in blocks, rounded up, and in the segment's own data
  std::size_t slabs = 0;
  std::size_t users = 0;  // attached resources of all processes; killed ones until `reclaim`
};

namespace detail {
class segment_registry;
}

// The base of file_resource and shared_resource; it is not made by itself.
class MALLARD_API segment_resource : public detail::by_base<segment_resource> {
 public:
  // The largest alignment of a block, wherever the segment is mapped.
  static constexpr std::size_t largest_alignment = detail::segment_alignment;
  static constexpr std::size_t largest_name_bytes = detail::root_name_bytes - 1;
  static constexpr std::size_t largest_root_count = detail::root_count;

  segment_resource(const segment_resource&) = delete;
  segment_resource& operator=(const segment_resource&) = delete;

  // Returns: `bytes` bytes aligned to `alignment`, never null.
  // Errors: throws `memory_error`, a `std::bad_alloc`; then nothing has changed.
  MALLARD_ALWAYS_INLINE void* allocate(std::size_t bytes,
                                       std::size_t alignment = alignof(std::max_align_t)) {
    if (void* const p = take_at_once(bytes, alignment)) [[likely]] {
      return p;
    }
    return allocate_slow(bytes, alignment);
  }
  // Effects: as `allocate`, but returns null instead of throwing. It makes no exception on the way,
  // unless the segment has become unusable.
  void* try_allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept;

  // Effects: frees a block of any user; `bytes` and `alignment` are those of its allocation.
  MALLARD_ALWAYS_INLINE void deallocate(
      void* p, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
    const std::size_t request = detail::class_request(bytes, alignment);
    if (detail::is_looked_up(request) && detail::os::is_single_threaded()) [[likely]] {
      return client_.give(p, detail::class_of(request));
    }
    deallocate_slow(p, bytes, alignment);
  }

  // Effects: frees empty slabs of this resource, and those without an owner, for any other use.
  void trim();

  // Effects: names a block, or a place in one, to be found from elsewhere and later; null removes
  // the name.
  // Errors: `memory_error`: `bad_name` if it is empty or longer than `largest_name_bytes`;
  // `exists`; `full` at `largest_root_count` names; `not_memory` if `p` is not of this memory.
  void set_root(const char* name, void* p);
  // Returns: the place with this name, null if there is none.
  void* root(const char* name);

  // Effects: makes an object under a name.
  // Errors: as `allocate` and `set_root`, or what the constructor throws; then nothing has changed.
  template <class T, class... Args>
  T* make(const char* name, Args&&... args) {
    void* const p = prepare<T>();
    detail::on_failure give_back([&] { deallocate(p, sizeof(T), alignof(T)); });
    T* const object = ::new (p) T(std::forward<Args>(args)...);
    detail::on_failure destroy([&] { object->~T(); });
    add_root(name, object, detail::record_of_type<T>, true);
    destroy.succeeded();
    give_back.succeeded();
    return object;
  }
  // Returns: the object with this name, null if there is none.
  // Errors: `memory_error` (`wrong_type`) if it was made as another type: with another size,
  // alignment or kind (signed or unsigned integer, floating, enumeration, class), or another name
  // of its class, enumeration or template argument. Namespaces are not compared, so that programs
  // of different compilers find each other's objects.
  template <class T>
  T* find(const char* name) {
    static_assert(is_shareable_v<T>,
                  "T holds addresses, which are wrong wherever else it is mapped");
    return static_cast<T*>(find_root(name, detail::record_of_type<T>));
  }
  // Effects: as `find`, else as `make`. If several users call it at once, all get one object.
  template <class T, class... Args>
  T* find_or_make(const char* name, Args&&... args) {
    if (T* const found = find<T>(name)) return found;
    void* const p = prepare<T>();
    detail::on_failure give_back([&] { deallocate(p, sizeof(T), alignof(T)); });
    T* const object = ::new (p) T(std::forward<Args>(args)...);
    detail::on_failure destroy([&] { object->~T(); });
    void* const named = add_root(name, object, detail::record_of_type<T>, false);
    if (named != object) return static_cast<T*>(named);
    destroy.succeeded();
    give_back.succeeded();
    return object;
  }
  // Effects: removes the name, destroys the object and frees its memory. Nobody may use the object
  // any more. Returns false if there is none: of several callers, one destroys it.
  template <class T>
  bool destroy(const char* name) {
    static_assert(is_shareable_v<T>,
                  "T holds addresses, which are wrong wherever else it is mapped");
    auto* const object = static_cast<T*>(find_root(name, detail::record_of_type<T>, true));
    if (object == nullptr) return false;
    object->~T();
    deallocate(object, sizeof(T), alignof(T));
    return true;
  }

  // Returns: whether the byte at `p` is of this memory, as it is mapped here.
  bool owns(const void* p) const noexcept { return segment_.has(p); }
  // Returns: the address it is mapped at here. Offsets from there are equal for all users.
  void* base() const noexcept { return segment_.base(); }
  int descriptor() const noexcept { return segment_.descriptor(); }

  // O(slabs).
  segment_stats stats();
  // Errors: `memory_error` (`damaged`) if the memory's own data contradict each other, as after a
  // stray write. O(slabs).
  void verify();

 protected:
  segment_resource(const char* who, int descriptor, detail::segment_view view) noexcept;
  ~segment_resource() override;

  // Called once the segment exists: makes this object its user in this process.
  void begin();
  // Called before the segment goes. False if this was no user, as in the child of a fork.
  bool end() noexcept;

  unsigned adopt_the_dead();

  detail::segment segment_;
  detail::segment_client client_;

 private:
  friend class detail::segment_registry;

  template <class T>
  void* prepare() {
    static_assert(is_shareable_v<T>,
                  "T holds addresses, which are wrong wherever else it is mapped");
    return allocate(sizeof(T), alignof(T));
  }

  // Null if another thread may be here, or if the client has no free slot.
  MALLARD_ALWAYS_INLINE void* take_at_once(std::size_t bytes, std::size_t alignment) {
    const std::size_t request = detail::class_request(bytes, alignment);
    if (!detail::is_looked_up(request) || !detail::os::is_single_threaded()) return nullptr;
    if (!detail::is_power_of_two(alignment)) return nullptr;
    return client_.take(detail::class_of(request));
  }
  void* take(std::size_t bytes, std::size_t alignment, int& error);
  MALLARD_COLD void* allocate_slow(std::size_t bytes, std::size_t alignment);
  MALLARD_COLD void deallocate_slow(void* p, std::size_t bytes, std::size_t alignment) noexcept;
  void* add_root(const char* name, void* p, const detail::type_record& type, bool alone);
  // `takes`: removes the name as well.
  void* find_root(const char* name, const detail::type_record& type, bool takes = false);
  detail::segment_root* root_named(const char* name);
  void check_name(const char* name) const;
  [[noreturn]] void fail_type(const char* name, const detail::type_record& there,
                              const detail::type_record& asked_for) const;

  std::mutex lock_;  // of this process's threads; not taken while there is only one
  bool begun_ = false;
  segment_resource* next_ = nullptr;  // of the registry
};

}  // namespace mallard::inline v1
