// Searches memory for words that are addresses of known blocks.
#include "mallard/checks/block_origins.hpp"

#include <algorithm>
#include <cinttypes>
#include <functional>
#include <utility>

#include "mallard/detail/bits.hpp"

namespace mallard::inline v1 {
namespace {

struct known_block {
  std::uintptr_t begin;
  test_block what;
  const test_resource* resource;
  bool reached = false;
};

// Sorted by address. If blocks lie in others, as those of a checked resource over a test resource
// do, the inner one counts.
std::vector<known_block> known_blocks() {
  struct collector {
    std::vector<known_block> found;
    const test_resource* from = nullptr;
  } all;
  test_resource::for_each(
      [](void* context, const test_resource& one) {
        static_cast<collector*>(context)->from = &one;
        one.for_each_block(
            [](void* to, const test_block& b) {
              auto& into = *static_cast<collector*>(to);
              into.found.push_back({detail::address_of(b.block), b, into.from});
            },
            context);
      },
      &all);
  std::sort(all.found.begin(), all.found.end(),
            [](const known_block& a, const known_block& b) { return a.begin < b.begin; });
  return std::move(all.found);
}

// Containers mark what they have reserved but not used yet; this reads it all the same.
[[gnu::no_sanitize_address, gnu::noinline]] std::uintptr_t word_at(const std::uintptr_t* at) {
  return *static_cast<const volatile std::uintptr_t*>(at);
}

class search {
 public:
  void look_in(std::uintptr_t begin, std::size_t bytes) {
    const auto* const first =
        reinterpret_cast<const std::uintptr_t*>(detail::round_up(begin, sizeof(std::uintptr_t)));
    const auto* const last =
        reinterpret_cast<const std::uintptr_t*>((begin + bytes) & ~(sizeof(std::uintptr_t) - 1));
    for (const auto* at = first; at < last; ++at) reach(word_at(at));
  }
  std::vector<block_origin> run() {
    while (!to_do_.empty()) {
      const known_block* const next = to_do_.back();
      to_do_.pop_back();
      look_in(next->begin, next->what.bytes);
    }
    std::vector<block_origin> out;
    for (const known_block& b : blocks_) {
      if (!b.reached) continue;
      out.push_back({b.what.block, b.what.bytes, b.what.serial, b.resource,
                     b.what.given != nullptr ? *b.what.given : call_stack{}});
    }
    std::sort(out.begin(), out.end(), [](const block_origin& a, const block_origin& b) {
      return a.resource != b.resource ? std::less<>()(a.resource, b.resource) : a.serial < b.serial;
    });
    return out;
  }

 private:
  void reach(std::uintptr_t address) {
    auto after =
        std::upper_bound(blocks_.begin(), blocks_.end(), address,
                         [](std::uintptr_t p, const known_block& b) { return p < b.begin; });
    if (after == blocks_.begin()) return;
    known_block& b = *std::prev(after);
    // The end is a pointer to the block, too: that of a container that is full, or empty.
    if (address - b.begin > b.what.bytes || std::exchange(b.reached, true)) return;
    to_do_.push_back(&b);
  }

  std::vector<known_block> blocks_ = known_blocks();
  std::vector<const known_block*> to_do_;
};

}  // namespace

void detail::find_origins(const void* object, std::size_t bytes, std::vector<block_origin>& found) {
  search from_here;
  from_here.look_in(address_of(object), bytes);
  found = from_here.run();
}

void print(const std::vector<block_origin>& blocks, std::FILE* to) noexcept {
  for (const block_origin& b : blocks) {
    const char* const name = b.resource->name();
    std::fprintf(to, "%zu bytes of %s, allocation %" PRIu64 ", given:\n", b.bytes,
                 name != nullptr ? name : "a resource without a name", b.serial);
    print(b.given, to);
  }
}

}  // namespace mallard::inline v1
