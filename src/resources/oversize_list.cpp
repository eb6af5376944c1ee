#include "mallard/detail/resources/oversize_list.hpp"

#include <algorithm>
#include <new>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/core/ring.hpp"

namespace mallard::inline v1::detail {

void* oversize_list::allocate(std::pmr::memory_resource& upstream, std::size_t bytes,
                              std::size_t alignment) {
  using links = ring<header, &header::next, &header::prev>;
  const std::size_t aligned = std::max(alignment, alignof(header));
  const std::size_t offset = std::max(round_up(sizeof(header), 64), alignment);
  if (bytes > ~std::size_t{0} / 2 - offset) throw std::bad_alloc();
  auto* const block = static_cast<std::byte*>(upstream.allocate(offset + bytes, aligned));
  auto* const h = ::new (block + offset - sizeof(header)) header{};
  h->bytes = bytes;
  h->alignment = aligned;
  h->offset = offset;
  links::insert_before(head_, h);
  head_ = h;
  ++blocks_;
  payload_bytes_ += bytes;
  reserved_bytes_ += offset + bytes;
  return block + offset;
}

void oversize_list::deallocate(std::pmr::memory_resource& upstream, void* p) noexcept {
  using links = ring<header, &header::next, &header::prev>;
  auto* const payload = static_cast<std::byte*>(p);
  auto* const h = reinterpret_cast<header*>(payload - sizeof(header));
  header* const next = links::remove(h);
  if (head_ == h) head_ = next;
  const header gone = *h;
  --blocks_;
  payload_bytes_ -= gone.bytes;
  reserved_bytes_ -= gone.offset + gone.bytes;
  upstream.deallocate(payload - gone.offset, gone.offset + gone.bytes, gone.alignment);
}

void oversize_list::release_all(std::pmr::memory_resource& upstream) noexcept {
  while (head_ != nullptr) deallocate(upstream, head_ + 1);
}

}  // namespace mallard::inline v1::detail
