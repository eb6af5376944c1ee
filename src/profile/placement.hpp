// The placement of the blocks that live at an instant: how many pages and lines they occupy, and
// whose other blocks are there.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/block_stream.hpp"

namespace mallard::profile {

// The live memory of one subsystem.
struct placement {
  std::uint64_t pages = 0, lines = 0, bytes = 0;
  std::uint64_t bytes_on_pages = 0;  // of all subsystems
};

struct placements {
  std::vector<placement> of;  // by the blocks' tag
  placement all;
};

// Leaves out blocks of more than 65,536 pages, which lie on pages of their own. O(n log n) for n
// blocks. Memory: a pointer for each.
placements place_blocks(const live_table<live_block>& live, std::size_t tags,
                        std::uint64_t page_bytes, std::uint64_t line_bytes);

}  // namespace mallard::profile
