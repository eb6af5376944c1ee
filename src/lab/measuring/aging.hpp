// Makes the global heap look like that of a long-running program.
//
// Many lists of strings are filled in turn and then shuffled: an element leaves the front of a
// random list, and a new one is appended to the next list in turn. Three of four lists are freed
// and the fourth stays for good, so the heap is full of holes of all small sizes. Afterwards the
// heap is used for a while, so that malloc sorts the freed chunks into its bins before anything is
// timed. Otherwise the first measured allocations would pay for that.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mallard::lab {

struct aging_recipe {
  std::size_t lists = 128;
  std::size_t strings_per_list = 3072;  // of 25 to 128 characters
  unsigned shuffles = 5;                // as a multiple of the number of strings
  bool settle = true;
};

// The recipe for the published figures of AS1 and AS2: twenty times as much, and not settled.
inline constexpr aging_recipe original_aging = {.strings_per_list = 65536, .settle = false};

struct aging_report {
  std::size_t strings_kept = 0;
  std::size_t strings_freed = 0;
  std::uint64_t digest = 0;  // of the survivors: the same recipe makes the same heap
};

// Ages the heap of this process. The survivors stay until the process ends.
aging_report age_heap(const aging_recipe& recipe);

}  // namespace mallard::lab
