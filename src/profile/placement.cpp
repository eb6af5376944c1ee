#include "profile/placement.hpp"

#include <algorithm>
#include <map>

namespace mallard::profile {
namespace {

constexpr std::uint64_t most_pages = 1 << 16;

// Takes the blocks in the order of their addresses and keeps one page open. `here_` has the bytes
// of each tag on it. The first block beyond the page closes it: each tag with bytes there gets the
// page, and the page's bytes of all tags. Pages in the middle of a large block belong to it alone.
// A line is counted for a tag unless the tag's previous block ended on it.
class placer {
 public:
  placer(std::size_t tags, std::uint64_t page_bytes, std::uint64_t line_bytes)
      : page_bytes_(page_bytes), line_bytes_(line_bytes), last_line_(tags + 1, UINT64_MAX) {
    made_.of.resize(tags);
  }

  void add(const live_block& block) {
    std::uint64_t at = block.address;
    const std::uint64_t end = at + std::max<std::uint64_t>(block.bytes, 1);
    if (end < at || (end - at) / page_bytes_ >= most_pages) return;
    const std::uint64_t first = at / line_bytes_;
    const std::uint64_t last = (end - 1) / line_bytes_;
    made_.of[block.tag].lines += lines(block.tag, first, last);
    made_.all.lines += lines(made_.of.size(), first, last);
    made_.of[block.tag].bytes += block.bytes;
    made_.all.bytes += block.bytes;
    const std::uint64_t last_page = (end - 1) / page_bytes_;
    if (at / page_bytes_ != page_) turn_to(at / page_bytes_);
    if (page_ != last_page) {
      const std::uint64_t next = (page_ + 1) * page_bytes_;
      here_[block.tag] += next - at;
      // Pages that the block fills are its own.
      const std::uint64_t filled = last_page - page_ - 1;
      made_.of[block.tag].pages += filled;
      made_.of[block.tag].bytes_on_pages += filled * page_bytes_;
      made_.all.pages += filled;
      made_.all.bytes_on_pages += filled * page_bytes_;
      at = next + filled * page_bytes_;
      turn_to(last_page);
    }
    here_[block.tag] += end - at;
  }

  placements finish() {
    turn_to(UINT64_MAX);
    return std::move(made_);
  }

 private:
  void turn_to(std::uint64_t page) {
    std::uint64_t on_page = 0;
    for (const auto& [tag, bytes] : here_) on_page += bytes;
    for (const auto& [tag, bytes] : here_) {
      ++made_.of[tag].pages;
      made_.of[tag].bytes_on_pages += on_page;
    }
    if (!here_.empty()) {
      ++made_.all.pages;
      made_.all.bytes_on_pages += on_page;
    }
    here_.clear();
    page_ = page;
  }

  // Lines without the first one if the previous block lies on it already.
  std::uint64_t lines(std::size_t of, std::uint64_t first, std::uint64_t last) {
    const std::uint64_t shared = last_line_[of] == first ? 1 : 0;
    last_line_[of] = last;
    return last - first + 1 - shared;
  }

  std::uint64_t page_bytes_;
  std::uint64_t line_bytes_;
  placements made_;
  std::map<std::uint32_t, std::uint64_t> here_;  // bytes on the open page, by tag
  std::uint64_t page_ = UINT64_MAX;
  std::vector<std::uint64_t> last_line_;  // by tag, and at the end for all
};

}  // namespace

placements place_blocks(const live_table<live_block>& live, std::size_t tags,
                        std::uint64_t page_bytes, std::uint64_t line_bytes) {
  std::vector<const live_block*> blocks;
  blocks.reserve(live.size());
  live.for_each([&](const live_block& one) { blocks.push_back(&one); });
  std::sort(blocks.begin(), blocks.end(),
            [](const live_block* a, const live_block* b) { return a->address < b->address; });
  placer place(tags, page_bytes, line_bytes);
  for (const live_block* one : blocks) place.add(*one);
  return place.finish();
}

}  // namespace mallard::profile
