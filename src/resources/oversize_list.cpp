#include "mallard/detail/resources/oversize_list.hpp"

#include <algorithm>
#include <new>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1::detail {
namespace {

// The bytes asked of upstream for a block, which has room for a burst's link. Within eight bytes, a
// mark always reaches to their end.
constexpr std::size_t with_redzone(std::size_t bytes) noexcept {
  if constexpr (redzone_bytes == 0) return std::max(bytes, sizeof(void*));
  return round_up(bytes, 8) + redzone_bytes;
}

}  // namespace

void* oversize_list::make(std::pmr::memory_resource& upstream, std::size_t bytes,
                          std::size_t alignment) {
  const std::size_t aligned = std::max(alignment, alignof(header));
  const std::size_t offset = std::max(round_up(sizeof(header), 64), alignment);
  constexpr std::size_t largest = ~std::size_t{0} / 4;
  if (alignment > largest || bytes > largest) throw std::bad_alloc();
  auto* const block =
      static_cast<std::byte*>(upstream.allocate(offset + with_redzone(bytes), aligned));
  return put_header(block, offset, bytes, aligned);
}

// At least one of two places for the block is not a slot.
void* oversize_list::make_apart(std::pmr::memory_resource& upstream, std::size_t bytes,
                                std::size_t alignment, const slab_layout& from) {
  const std::size_t aligned = std::max(alignment, alignof(std::max_align_t));
  const std::size_t first = round_up(sizeof(header), aligned);
  const std::size_t payload = bytes + aligned;
  auto* const block =
      static_cast<std::byte*>(upstream.allocate(first + with_redzone(payload), aligned));
  const std::uintptr_t in_slab = address_of(block + first) & (from.slab_bytes - std::uintptr_t{1});
  const std::size_t moved = in_slab % from.block_bytes == 0 ? aligned : 0;
  return put_header(block, first + moved, payload - moved, aligned);
}

void* oversize_list::put_header(std::byte* block, std::size_t offset, std::size_t bytes,
                                std::size_t aligned) noexcept {
  poison(block + offset + bytes, with_redzone(bytes) - bytes);
  auto* const h = ::new (block + offset - sizeof(header)) header{};
  h->bytes = bytes;
  h->alignment = aligned;
  h->offset = offset;
  return block + offset;
}

void oversize_list::give_back(std::pmr::memory_resource& upstream, void* p) noexcept {
  const header gone = *header_of(p);
  unpoison(p, with_redzone(gone.bytes));
  upstream.deallocate(static_cast<std::byte*>(p) - gone.offset,
                      gone.offset + with_redzone(gone.bytes), gone.alignment);
}

void oversize_list::insert(void* p) noexcept {
  header* const h = header_of(p);
  h->owner = this;
  links::insert_before(head_, h);
  head_ = h;
  ++blocks_;
  payload_bytes_ += h->bytes;
  reserved_bytes_ += h->offset + with_redzone(h->bytes);
}

// The blocks allocated last are known to be memory; for others the system is asked.
bool oversize_list::owns_block(const void* p) const noexcept {
  constexpr int most = 16;
  const header* h = head_;
  for (int looked_at = 0; h != nullptr && looked_at < most; ++looked_at) {
    if (h == header_of(p)) return true;
    h = h->next != head_ ? h->next : nullptr;
  }
  return h != nullptr && address_of(p) % alignof(header) == 0 && os::is_mapped(header_of(p)) &&
         header_of(p)->owner == this;
}

void oversize_list::remove(void* p) noexcept {
  MALLARD_AUDIT(owns_block(p) && "a block of another resource, or of another size");
  header* const h = header_of(p);
  header* const next = links::remove(h);
  if (head_ == h) head_ = next;
  h->owner = nullptr;
  --blocks_;
  payload_bytes_ -= h->bytes;
  reserved_bytes_ -= h->offset + with_redzone(h->bytes);
}

bool oversize_list::owns(const void* p) const noexcept {
  if (head_ == nullptr) return false;
  const header* h = head_;
  do {
    if (address_of(p) - address_of(h + 1) < std::max<std::size_t>(h->bytes, 1)) return true;
    h = h->next;
  } while (h != head_);
  return false;
}

void oversize_list::forget() noexcept {
  if constexpr (redzone_bytes != 0) {  // what is given back must not stay marked
    for (header* h = head_; h != nullptr; h = h->next != head_ ? h->next : nullptr) {
      unpoison(h + 1, with_redzone(h->bytes));
    }
  }
  *this = oversize_list();
}

void oversize_list::release_all(std::pmr::memory_resource& upstream) noexcept {
  while (head_ != nullptr) deallocate(upstream, head_ + 1);
}

}  // namespace mallard::inline v1::detail
