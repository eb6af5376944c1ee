// Reads texts of the form of /proc/self/maps whose classes are known.
#include "lab/mallocs/maps_reader.hpp"

#include <gtest/gtest.h>

#include <string>

namespace mallard::lab {
namespace {

address_space read(const std::string& text, std::uint64_t own_begin = 0,
                   std::uint64_t own_end = 0) {
  maps_reader reader("/usr/bin/program", own_begin, own_end);
  reader.feed(text);
  return reader.result();
}

// One line of each kind.
const std::string every_kind =
    "1000-3000 r-xp 00000000 08:01 42                         /usr/bin/program\n"
    "3000-4000 rw-p 00002000 08:01 42                         /usr/bin/program\n"
    "10000-18000 rw-p 00000000 00:00 0                          [heap]\n"
    "18000-1a000 rw-p 00000000 00:00 0 \n"
    "20000-21000 rw-p 00000000 00:00 0 \n"
    "30000-130000 ---p 00000000 00:00 0 \n"
    "200000-204000 rw-p 00000000 00:00 0                        [anon:arena of a malloc]\n"
    "300000-310000 r--p 00000000 08:01 77                       /usr/lib/libc.so.6\n"
    "310000-311000 ---p 00010000 08:01 77                       /usr/lib/libc.so.6\n"
    "7ffc0000-7ffe0000 rw-p 00000000 00:00 0                    [stack]\n"
    "7fff0000-7fff2000 r--p 00000000 00:00 0                    [vvar]\n"
    "7fff2000-7fff3000 r--p 00000000 00:00 0                    [vvar_vclock]\n"
    "7fff3000-7fff4000 r-xp 00000000 00:00 0                    [vdso]\n"
    "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0    [vsyscall]\n";

void expect_every_kind(const address_space& found) {
  EXPECT_EQ(found.text, 0x3000U);
  EXPECT_EQ(found.heap, 0xa000U);  // what follows the heap without a gap is of the heap
  EXPECT_EQ(found.mmap, 0x1000U + 0x4000U);
  EXPECT_EQ(found.reserved_none, 0x100000U);
  EXPECT_EQ(found.mmap_so, 0x11000U);  // the gaps of libraries are not reserved by the malloc
  EXPECT_EQ(found.stack, 0x20000U);
  EXPECT_EQ(found.system, 0x2000U + 0x1000U + 0x1000U + 0x1000U);
}

TEST(maps_reader, classifies_each_kind_of_line) {
  expect_every_kind(read(every_kind));
}

TEST(maps_reader, text_may_be_cut_anywhere) {
  for (std::size_t cut = 0; cut <= every_kind.size(); ++cut) {
    maps_reader reader("/usr/bin/program", 0, 0);
    reader.feed(every_kind.substr(0, cut));
    reader.feed(every_kind.substr(cut));
    expect_every_kind(reader.result());
  }
  maps_reader reader("/usr/bin/program", 0, 0);
  for (const char one : every_kind) reader.feed({&one, 1});
  expect_every_kind(reader.result());
}

TEST(maps_reader, other_programs_are_libraries_even_when_their_names_begin_alike) {
  const address_space found = read("1000-2000 r-xp 0 08:01 42 /usr/bin/program-2\n");
  EXPECT_EQ(found.text, 0U);
  EXPECT_EQ(found.mmap_so, 0x1000U);
}

TEST(maps_reader, anonymous_memory_behind_a_gap_is_not_of_the_heap) {
  const address_space found = read(
      "10000-18000 rw-p 00000000 00:00 0 [heap]\n"
      "19000-1a000 rw-p 00000000 00:00 0 \n"
      "1a000-1b000 rw-p 00000000 00:00 0 \n");
  EXPECT_EQ(found.heap, 0x8000U);
  EXPECT_EQ(found.mmap, 0x2000U);
}

TEST(maps_reader, own_range_is_taken_off_wherever_its_lines_end) {
  // Alone, at the front, at the back, in the middle, and of none.
  EXPECT_EQ(read("20000-28000 rw-p 0 00:00 0 \n", 0x20000, 0x28000).mmap, 0U);
  EXPECT_EQ(read("20000-28000 rw-p 0 00:00 0 \n", 0x10000, 0x21000).mmap, 0x7000U);
  EXPECT_EQ(read("20000-28000 rw-p 0 00:00 0 \n", 0x27000, 0x99000).mmap, 0x7000U);
  EXPECT_EQ(read("20000-28000 rw-p 0 00:00 0 \n", 0x21000, 0x23000).mmap, 0x6000U);
  EXPECT_EQ(read("20000-28000 rw-p 0 00:00 0 \n", 0x28000, 0x29000).mmap, 0x8000U);
  EXPECT_EQ(read("20000-28000 rw-p 0 00:00 0 \n", 0x10000, 0x20000).mmap, 0x8000U);
}

TEST(maps_reader, lines_that_are_none_are_left_out) {
  EXPECT_EQ(read("\nnonsense\n12-\n-12 rw-p 0 00:00 0\n3000-1000 rw-p 0 00:00 0 \n").mmap, 0U);
  EXPECT_EQ(read("1000-2000 rw-p 00000000 00:00 0").mmap, 0U) << "the line has not ended";
}

}  // namespace
}  // namespace mallard::lab
