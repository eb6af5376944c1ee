#include "malloc/huge_cache.hpp"

#include <algorithm>

#include "mallard/detail/os/pages.hpp"
#include "malloc/huge_block.hpp"

namespace mallard::inline v1::detail {

constinit huge_cache the_huge_cache;

namespace {

bool serves(std::size_t mapped, std::size_t bytes) noexcept {
  return mapped >= bytes && mapped / 2 <= bytes;
}

}  // namespace

region* huge_cache::remove(std::size_t index) noexcept {
  region* const r = entries_[index].r;
  bytes_.store(idle_bytes() - entries_[index].bytes, std::memory_order_relaxed);
  std::copy(&entries_[index] + 1, entries_.data() + count_, &entries_[index]);
  --count_;
  return r;
}

void huge_cache::note_gone(std::size_t bytes) noexcept {
  gone_[next_gone_++ % gone_.size()] = bytes;
  idle_.gave_back(bytes);
}

// Of what was given back only a mapping that would have served is to be regretted.
void huge_cache::look_for_gone(std::size_t bytes) noexcept {
  for (std::size_t& gone : gone_) {
    if (!serves(gone, bytes)) continue;
    gone = 0;
    return idle_.took(bytes);
  }
}

// The system unmaps while nobody waits.
template <class Goes>
std::size_t huge_cache::give_back(Goes&& goes) noexcept {
  std::size_t bytes = 0;
  for (;;) {
    if (!lock_.try_lock()) return bytes;
    region* r = nullptr;
    if (count_ != 0 && goes(entries_[0])) {
      note_gone(entries_[0].bytes);
      r = remove(0);
    }
    lock_.unlock();
    if (r == nullptr) return bytes;
    const std::size_t mapped = r->huge_mapped;
    bytes += mapped;
    os::unmap(r, mapped);
  }
}

region* huge_cache::take(std::size_t bytes) noexcept {
  if (!lock_.try_lock()) return nullptr;
  region* r = nullptr;
  for (std::size_t i = count_; i-- > 0 && r == nullptr;) {
    if (!serves(entries_[i].bytes, bytes)) continue;
    r = remove(i);
    idle_.reused();
  }
  if (r == nullptr) look_for_gone(bytes);
  lock_.unlock();
  return r;
}

void huge_cache::give(region* r) noexcept {
  const std::size_t bytes = r->huge_mapped;
  std::size_t limit = 0;
  region* oldest = nullptr;
  // What its owner has done to the pages is looked for once, when the mapping comes first.
  const bool can_stay = !r->huge_is_fresh || os::are_alike(r, bytes);
  if (!can_stay || !lock_.try_lock()) return os::unmap(r, bytes);
  limit = idle_.limit(huge_usage().mapped_bytes);
  const bool fits = bytes <= limit;
  if (fits) {
    if (count_ == most_entries) oldest = remove(0);
    entries_[count_++] = {r, bytes, os::milliseconds()};
    bytes_.store(idle_bytes() + bytes, std::memory_order_relaxed);
  } else {
    note_gone(bytes);
  }
  lock_.unlock();
  if (!fits) os::unmap(r, bytes);
  if (oldest != nullptr) os::unmap(oldest, oldest->huge_mapped);
  give_back([&](const entry&) { return idle_bytes() > limit; });
}

std::size_t huge_cache::decay() noexcept {
  if (idle_bytes() == 0) return 0;
  const unsigned long long now = os::milliseconds();
  return give_back([=](const entry& e) { return now - e.since > kept_milliseconds; });
}

std::size_t huge_cache::trim() noexcept {
  return give_back([](const entry&) { return true; });
}

void huge_cache::set_idle_limit(std::size_t bytes) noexcept {
  {
    const holding hold(lock_);
    idle_.set_least(bytes);
  }
  give_back([=, this](const entry&) { return idle_bytes() > bytes; });
}

}  // namespace mallard::inline v1::detail
