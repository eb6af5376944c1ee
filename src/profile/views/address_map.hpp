// The addresses of each subsystem's blocks, at some instants.
//
// Addresses are divided into cells of a power of two, 4 KiB at first. At each instant the live
// blocks are spread over their cells. When a block or an instant has too many cells, neighbouring
// pairs are joined, at earlier instants as well. At the end all cells ever in use are put into one
// row without gaps, and joined until they are few enough for a picture. A cell shows the subsystem
// with the most bytes in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/live_table.hpp"

namespace mallard::profile {

inline constexpr std::uint8_t no_subsystem = 255;

struct address_cell {
  std::uint8_t subsystem = no_subsystem;  // with the most bytes in the cell
  std::uint8_t tenths = 0;                // of the cell in use, rounded up, minus one: 0 to 9
};

struct address_snapshot {
  std::uint64_t time = 0;
  std::uint64_t live_bytes = 0;
  std::vector<address_cell> cells;
};

struct address_map {
  std::vector<std::string> names;    // subsystems
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
  // Bytes by cell number and subsystem.
  struct use {
    std::uint64_t cell;
    std::uint8_t subsystem;
    std::uint64_t bytes;
  };
  struct instant {
    std::uint64_t time = 0;
    std::uint64_t live_bytes = 0;
    std::vector<use> uses;  // sorted by cell and subsystem; each pair once
  };

  struct open_use {
    std::uint64_t address = 0;  // cell and subsystem, named as live_table requires
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
  live_table<open_use> open_;  // of the current instant
};

}  // namespace mallard::profile
