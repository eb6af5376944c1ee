// The addresses of the blocks of each subsystem, at some instants.
//
// At each instant the live blocks are spread over the pages they lie on. At the end all pages that
// were ever in use are put into one row without the gaps, and joined by powers of two until there
// are few enough for a picture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/live_table.hpp"

namespace mallard::profile {

inline constexpr std::uint8_t no_subsystem = 255;

struct address_cell {
  std::uint8_t subsystem = no_subsystem;  // of most bytes in the cell
  std::uint8_t tenths = 0;  // of the cell in use, 0 to 9: up to so many tenths and one
};

struct address_snapshot {
  std::uint64_t time = 0;
  std::uint64_t live_bytes = 0;
  std::vector<address_cell> cells;
};

struct address_map {
  std::vector<std::string> names;    // of the subsystems
  std::uint64_t cell_bytes = 0;      // of addresses
  std::vector<std::uint64_t> bases;  // of the cells, ascending
  std::vector<address_snapshot> snapshots;
};

class address_map_builder {
 public:
  static constexpr std::size_t most_cells = 6000;
  static constexpr std::uint64_t page_bytes = 4096;

  // At most 250 subsystems.
  explicit address_map_builder(std::vector<std::string> names);

  void begin(std::uint64_t time);
  void add(std::uint64_t address, std::uint64_t bytes, std::size_t subsystem);
  void end();
  address_map finish();

 private:
  // Bytes by cell and subsystem, the cell's number first.
  struct use {
    std::uint64_t cell;
    std::uint8_t subsystem;
    std::uint64_t bytes;
  };
  struct instant {
    std::uint64_t time = 0;
    std::uint64_t live_bytes = 0;
    std::vector<use> uses;  // sorted by cell and subsystem, each pair once
  };

  struct open_use {
    std::uint64_t address = 0;  // cell and subsystem, as live_table wants them
    std::uint64_t bytes = 0;
  };

  static void merge(std::vector<use>& uses);
  void coarsen();
  void put(std::uint64_t cell, std::size_t subsystem, std::uint64_t bytes);
  std::vector<use> take_open();
  std::vector<std::uint64_t> all_cells() const;

  std::vector<std::string> names_;
  unsigned shift_ = 12;  // a cell's number is its address shifted by this
  std::vector<instant> instants_;
  live_table<open_use> open_;  // of the instant that is being told of
};

}  // namespace mallard::profile
