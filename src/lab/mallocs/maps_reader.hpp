// Sums up the address space of a process from the text of /proc/self/maps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mallard::lab {

// Bytes of address space by kind, resident or not.
struct address_space {
  std::uint64_t text = 0;           // the program's own file
  std::uint64_t mmap_so = 0;        // other files: libraries, locales
  std::uint64_t heap = 0;           // grown by sbrk
  std::uint64_t mmap = 0;           // anonymous
  std::uint64_t reserved_none = 0;  // anonymous or heap, but inaccessible (PROT_NONE)
  std::uint64_t stack = 0;          // the main thread's
  std::uint64_t system = 0;         // vdso and the like
};

// Classifies lines by inode and name, as the thesis's monitor does. In addition, inaccessible
// memory and the bench's own mappings are separate, and named anonymous mappings count as
// anonymous. Takes the text in pieces, cut anywhere; allocates nothing.
class maps_reader {
 public:
  // `program`: the path of the program's own file. `own_begin`, `own_end`: a range that does not
  // count.
  maps_reader(std::string_view program, std::uint64_t own_begin, std::uint64_t own_end)
      : program_(program), own_begin_(own_begin), own_end_(own_end) {}

  void feed(std::string_view text);
  const address_space& result() const { return sum_; }

 private:
  void take_line(std::string_view line);
  std::uint64_t* kind_of(std::string_view inode, std::string_view name, std::uint64_t begin);

  std::string_view program_;
  std::uint64_t own_begin_;
  std::uint64_t own_end_;
  address_space sum_;
  std::uint64_t heap_end_ = 0;  // the end of the heap's last line
  std::array<char, 4600> rest_{};
  std::size_t rest_length_ = 0;
};

}  // namespace mallard::lab
