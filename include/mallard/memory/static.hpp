// Purpose: memory from bytes that the program has anyway, and from nowhere else, not even if they
// run out.
//
//   constinit mallard::static_storage<64 * 1024> storage;  // in .bss, not in the file
//   mallard::multipool_resource pool(&storage.resource());
//   std::pmr::vector<int> v(100, &pool);
//   std::size_t left = storage.resource().free_bytes();
//
// Complexity: O(1) for blocks up to 1 KiB of a size that was freed before, else O(log n) in the
// number of free parts; if none is large enough, all small ones are joined first.
// Thread-safety: none; one thread at a time.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <new>
#include <span>

#include "mallard/detail/config.hpp"
#include "mallard/detail/memory/quick_extents.hpp"
#include "mallard/detail/resources/by_base.hpp"
#include "mallard/memory/memory_error.hpp"

namespace mallard::inline v1 {

// Blocks have no header; the free bytes hold the records. Sizes are rounded up to 16 bytes.
class MALLARD_API static_resource final : public detail::by_base<static_resource> {
 public:
  // The storage must outlive the resource and is not touched before the first request. If it is not
  // aligned, up to 15 bytes at both ends are lost.
  // Errors: `memory_error` if there are no bytes.
  constexpr static_resource(std::byte* storage, std::size_t bytes)
      : storage_(storage), bytes_(bytes) {
    if (storage == nullptr || bytes == 0) fail_empty();
  }
  constexpr explicit static_resource(std::span<std::byte> storage)
      : static_resource(storage.data(), storage.size()) {}
  static_resource(const static_resource&) = delete;
  static_resource& operator=(const static_resource&) = delete;
  ~static_resource() override { release(); }

  // Returns: `bytes` bytes aligned to `alignment`, never null.
  // Errors: throws `memory_error`, a `std::bad_alloc`; then nothing has changed.
  void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t));
  // Effects: as `allocate`, but returns null instead of throwing; makes no exception.
  void* try_allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept;
  // Effects: frees a block; `bytes` is that of its allocation.
  void deallocate(void* p, std::size_t bytes,
                  std::size_t alignment = alignof(std::max_align_t)) noexcept;
  // Effects: frees all blocks.
  void release() noexcept;

  bool owns(const void* p) const noexcept {
    return detail::address_of(p) - detail::address_of(storage_) < bytes_;
  }
  // Returns: the free bytes, which need not be in one piece.
  std::size_t free_bytes() const noexcept;
  std::size_t in_use_bytes() const noexcept { return usable_bytes() - free_bytes(); }

 private:
  [[noreturn]] static void fail_empty();
  std::byte* begin() const noexcept;
  std::size_t usable_bytes() const noexcept;
  void start() noexcept;

  std::byte* storage_;
  std::size_t bytes_;
  bool started_ = false;
  detail::quick_extents free_;
};

// A resource and its storage. Until the first call of `resource()` it is constinit and all zero
// bytes, so a global one is in .bss and takes no room in the program's file: a pointer or a vtable
// among the bytes would put all of them into .data.
template <std::size_t Bytes>
class static_storage {
  static_assert(Bytes != 0);

 public:
  constexpr static_storage() noexcept = default;
  static_storage(const static_storage&) = delete;
  static_storage& operator=(const static_storage&) = delete;
  ~static_storage() {
    if (is_made_) resource().~static_resource();
  }

  // Effects: makes the resource at the first call. Returns it. O(1). One thread at a time, as for
  // all that the resource does.
  static_resource& resource() noexcept {
    void* const place = resource_;
    if (!is_made_) {
      ::new (place) static_resource(bytes_, Bytes);
      is_made_ = true;
    }
    return *std::launder(static_cast<static_resource*>(place));
  }

 private:
  alignas(64) std::byte bytes_[Bytes]{};
  alignas(static_resource) std::byte resource_[sizeof(static_resource)]{};
  bool is_made_ = false;
};

}  // namespace mallard::inline v1
