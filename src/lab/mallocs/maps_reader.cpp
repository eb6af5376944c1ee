#include "lab/mallocs/maps_reader.hpp"

#include <algorithm>
#include <charconv>

namespace mallard::lab {
namespace {

// Removes the next word from the front of the line and returns it.
std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

bool read_address(std::string_view text, std::uint64_t& value) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return problem == std::errc() && end == text.data() + text.size();
}

}  // namespace

void maps_reader::feed(std::string_view text) {
  while (!text.empty()) {
    const auto newline = text.find('\n');
    const std::string_view piece = text.substr(0, newline);
    // Lines longer than the longest path do not occur; one would only lose the end of its name.
    const std::size_t length = std::min(piece.size(), rest_.size() - rest_length_);
    if (newline != text.npos && rest_length_ == 0) {
      take_line(piece);
    } else {
      std::copy_n(piece.begin(), length, rest_.begin() + static_cast<std::ptrdiff_t>(rest_length_));
      rest_length_ += length;
      if (newline != text.npos) {
        take_line({rest_.data(), rest_length_});
        rest_length_ = 0;
      }
    }
    text.remove_prefix(newline == text.npos ? text.size() : newline + 1);
  }
}

std::uint64_t* maps_reader::kind_of(std::string_view inode, std::string_view name,
                                    std::uint64_t begin) {
  if (inode != "0") return name == program_ ? &sum_.text : &sum_.mmap_so;
  if (name == "[heap]") return &sum_.heap;
  if (name == "[stack]") return &sum_.stack;
  if (name.empty()) return begin == heap_end_ ? &sum_.heap : &sum_.mmap;
  // "[vdso]", "[vvar]", "[vvar_vclock]", "[vsyscall]": the kernel's.
  return name.starts_with("[v") ? &sum_.system : &sum_.mmap;
}

// "55d0-55d4 rw-p 00000000 08:01 1234   /usr/bin/program"
void maps_reader::take_line(std::string_view line) {
  const std::string_view range = take_word(line);
  const std::string_view permissions = take_word(line);
  take_word(line);  // the offset in the file
  take_word(line);  // the device
  const std::string_view inode = take_word(line);
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));

  const auto dash = range.find('-');
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  if (dash == range.npos || !read_address(range.substr(0, dash), begin) ||
      !read_address(range.substr(dash + 1), end) || inode.empty() || end < begin) {
    return;
  }
  std::uint64_t* kind = kind_of(inode, line, begin);
  if (kind == &sum_.heap) heap_end_ = end;
  const bool may_be_reserved = kind == &sum_.heap || kind == &sum_.mmap;
  if (may_be_reserved && permissions.starts_with("---")) kind = &sum_.reserved_none;
  // The kernel merges neighbours, so part of a line may be the bench's own.
  const std::uint64_t shared_begin = std::clamp(own_begin_, begin, end);
  const std::uint64_t shared_end = std::clamp(own_end_, begin, end);
  *kind += (end - begin) - (shared_end - shared_begin);
}

}  // namespace mallard::lab
