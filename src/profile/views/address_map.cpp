#include "profile/views/address_map.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace mallard::profile {

address_map_builder::address_map_builder(std::vector<std::string> names)
    : names_(std::move(names)) {}

void address_map_builder::begin(std::uint64_t time) {
  instants_.push_back({time, 0, {}});
}

void address_map_builder::put(std::uint64_t cell, std::size_t subsystem, std::uint64_t bytes) {
  // Rotated, because the table finds keys that differ only in low bits in adjacent slots; never 0.
  const std::uint64_t key = std::rotl(cell * 256 + subsystem + 1, 4);
  if (open_use* const known = open_.find(key)) {
    known->bytes += bytes;
  } else {
    open_.insert({key, bytes});
  }
}

std::vector<address_map_builder::use> address_map_builder::take_open() {
  std::vector<use> out;
  open_.for_each([&](const open_use& one) {
    const std::uint64_t key = std::rotr(one.address, 4) - 1;
    out.push_back({key / 256, static_cast<std::uint8_t>(key % 256), one.bytes});
  });
  open_ = {};
  return out;
}

void address_map_builder::add(std::uint64_t address, std::uint64_t bytes, std::size_t subsystem) {
  instants_.back().live_bytes += bytes;
  // A single block may need more cells than a picture has.
  while (bytes >> shift_ > most_cells) coarsen();
  const std::uint64_t cell_bytes = std::uint64_t{1} << shift_;
  while (bytes > 0) {
    const std::uint64_t cell = address >> shift_;
    const std::uint64_t part = std::min(bytes, cell_bytes - (address & (cell_bytes - 1)));
    put(cell, subsystem, part);
    address += part;
    bytes -= part;
  }
}

void address_map_builder::merge(std::vector<use>& uses) {
  std::sort(uses.begin(), uses.end(), [](const use& a, const use& b) {
    return std::pair(a.cell, a.subsystem) < std::pair(b.cell, b.subsystem);
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (kept > 0 && uses[kept - 1].cell == uses[i].cell &&
        uses[kept - 1].subsystem == uses[i].subsystem) {
      uses[kept - 1].bytes += uses[i].bytes;
    } else {
      uses[kept++] = uses[i];
    }
  }
  uses.resize(kept);
}

// Joins pairs of cells.
void address_map_builder::coarsen() {
  ++shift_;
  for (instant& one : instants_) {
    for (use& part : one.uses) part.cell >>= 1;
    merge(one.uses);
  }
  for (const use& one : take_open()) put(one.cell >> 1, one.subsystem, one.bytes);
}

std::vector<std::uint64_t> address_map_builder::all_cells() const {
  std::vector<std::uint64_t> all;
  for (const instant& one : instants_) {
    for (const use& part : one.uses) {
      if (all.empty() || all.back() != part.cell) all.push_back(part.cell);
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// If one instant has too many cells, they get coarser at once, which bounds the memory.
void address_map_builder::end() {
  auto& uses = instants_.back().uses;
  uses = take_open();
  merge(uses);
  while (uses.size() > most_cells * names_.size()) coarsen();
}

address_map address_map_builder::finish() {
  std::vector<std::uint64_t> cells = all_cells();
  while (cells.size() > most_cells) {
    coarsen();
    cells = all_cells();
  }
  address_map made;
  made.names = std::move(names_);
  made.cell_bytes = std::uint64_t{1} << shift_;
  for (const std::uint64_t cell : cells) made.bases.push_back(cell << shift_);
  for (const instant& one : instants_) {
    auto& snapshot = made.snapshots.emplace_back();
    snapshot.time = one.time;
    snapshot.live_bytes = one.live_bytes;
    snapshot.cells.resize(cells.size());
    for (auto part = one.uses.begin(); part != one.uses.end();) {
      const auto at = static_cast<std::size_t>(
          std::lower_bound(cells.begin(), cells.end(), part->cell) - cells.begin());
      std::uint64_t sum = 0;
      auto most = part;
      const std::uint64_t cell = part->cell;
      for (; part != one.uses.end() && part->cell == cell; ++part) {
        sum += part->bytes;
        if (part->bytes > most->bytes) most = part;
      }
      const std::uint64_t tenths = (sum * 10 + made.cell_bytes - 1) / made.cell_bytes;
      snapshot.cells[at] = {
          most->subsystem, static_cast<std::uint8_t>(std::clamp<std::uint64_t>(tenths, 1, 10) - 1)};
    }
  }
  return made;
}

}  // namespace mallard::profile
