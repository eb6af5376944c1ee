// Tables of the cells of a series in the terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/series.hpp"

namespace mallard::cli {

// "links 2097152, subsystem 8": where a cell is, on one line.
std::string describe_place(const lab::coordinates& at);

// Whether the tables of a library show the cell: its own, and those of benches that show all
// libraries side by side.
bool is_shown(const lab::series_cell& cell, std::string_view peer);

// The main figures of the cells of one peer, and of the global heap: rows are places, columns
// strategies, coloured along each row. False sharing has its threads in columns, benches of arrays
// and nodes have the strategies of all peers.
std::string series_tables(const std::vector<lab::series_cell>& cells, std::string_view peer,
                          bool colour);

// Geometric means over everything both were measured in: how many times as fast as AS1 each
// strategy is, a column per peer; in benches of arrays and nodes as Boost's containers with
// std::allocator, a column per bench. Empty without that, and for false sharing.
std::string series_speed_ups(const std::vector<lab::series_cell>& cells);

}  // namespace mallard::cli
