// Purpose: blocks too large for any pool: one upstream block each, in a list so that a resource
// can give them all back. Allocate and deallocate are O(1).
#pragma once

#include <cstddef>
#include <memory_resource>

#include "mallard/detail/config.hpp"
#include "mallard/detail/core/ring.hpp"
#include "mallard/detail/core/slab_layout.hpp"

namespace mallard::inline v1::detail {

class MALLARD_API oversize_list {
 public:
  // Throws `std::bad_alloc` when the size with its header overflows, or what upstream throws.
  void* allocate(std::pmr::memory_resource& upstream, std::size_t bytes, std::size_t alignment) {
    void* const p = make(upstream, bytes, alignment);
    insert(p);
    return p;
  }
  void deallocate(std::pmr::memory_resource& upstream, void* p) noexcept {
    remove(p);
    give_back(upstream, p);
  }

  // The halves of the two, for lists behind a lock: those of upstream, and those of the list.
  static void* make(std::pmr::memory_resource& upstream, std::size_t bytes, std::size_t alignment);
  // The same for a size class: the block lies where no slot of a slab can. Requires an alignment of
  // at most 64, and larger blocks.
  static void* make_apart(std::pmr::memory_resource& upstream, std::size_t bytes,
                          std::size_t alignment, const slab_layout& from);
  static void give_back(std::pmr::memory_resource& upstream, void* p) noexcept;
  void insert(void* p) noexcept;
  void remove(void* p) noexcept;

  void release(std::pmr::memory_resource& upstream) noexcept {
    if (head_ != nullptr) release_all(upstream);
  }
  void forget() noexcept;

  bool owns(const void* p) const noexcept;  // O(blocks)
  // For assertions: whether a block in use at `p` is of this list. `p` may be anything.
  bool owns_block(const void* p) const noexcept;
  static std::size_t bytes_of(const void* p) noexcept { return header_of(p)->bytes; }
  std::size_t blocks() const noexcept { return blocks_; }
  std::size_t payload_bytes() const noexcept { return payload_bytes_; }
  std::size_t reserved_bytes() const noexcept { return reserved_bytes_; }

 private:
  struct header {
    const oversize_list* owner;  // for assertions
    header* next;
    header* prev;
    std::size_t bytes;
    std::size_t alignment;  // of the upstream block
    std::size_t offset;     // from the upstream block to the payload
  };
  using links = ring<header, &header::next, &header::prev>;
  static header* header_of(void* p) noexcept { return static_cast<header*>(p) - 1; }
  static const header* header_of(const void* p) noexcept {
    return static_cast<const header*>(p) - 1;
  }
  static void* put_header(std::byte* block, std::size_t offset, std::size_t bytes,
                          std::size_t alignment) noexcept;

  void release_all(std::pmr::memory_resource& upstream) noexcept;

  header* head_ = nullptr;
  std::size_t blocks_ = 0;
  std::size_t payload_bytes_ = 0;
  std::size_t reserved_bytes_ = 0;
};

}  // namespace mallard::inline v1::detail
