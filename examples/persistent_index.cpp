// An index that is a file: built once, there again when the program starts again, without reading
// or parsing it. Names are found by binary search in the mapped file.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "mallard/memory/file.hpp"
#include "mallard/memory/offset_allocator.hpp"

namespace {

template <class T>
using file_vector = std::vector<T, mallard::offset_allocator<T>>;

struct entry {
  std::size_t begin;  // of its name in `names`
  std::size_t bytes;
  long position;
};

// Holds no address, and is the same in every run.
struct name_index {
  explicit name_index(mallard::offset_allocator<char> a) : names(a), entries(a) {}

  file_vector<char> names;
  file_vector<entry> entries;

  std::string_view name(const entry& e) const { return {names.data() + e.begin, e.bytes}; }

  void add(std::string_view text, long position) {
    const auto at = lower_bound(text);
    const entry added{names.size(), text.size(), position};
    names.insert(names.end(), text.begin(), text.end());
    entries.insert(entries.begin() + at, added);
  }
  long find(std::string_view text) const {
    const auto at = static_cast<std::size_t>(lower_bound(text));
    return at < entries.size() && name(entries[at]) == text ? entries[at].position : -1;
  }

 private:
  std::ptrdiff_t lower_bound(std::string_view text) const {
    const auto before = [&](const entry& e, std::string_view t) { return name(e) < t; };
    return std::lower_bound(entries.begin(), entries.end(), text, before) - entries.begin();
  }
};

constexpr int names = 5000;

std::string name_of(int i) {
  return "name " + std::to_string(i * 7919 % 10'007);
}

}  // namespace

int main() {
  const std::string path = "/tmp/mallard_index_" + std::to_string(getpid());
  {
    mallard::file_resource file(path.c_str());
    name_index* const index = file.make<name_index>("index", mallard::offset_allocator<char>(file));
    for (int i = 0; i < names; ++i) index->add(name_of(i), i);
  }
  int wrong = 0;
  {
    mallard::file_resource file(path.c_str());  // as the next run of the program would
    const name_index& index = *file.find<name_index>("index");
    for (int i = 0; i < names; ++i) wrong += index.find(name_of(i)) != i;
    wrong += index.find("nobody") != -1;
    std::printf("%zu names in %zu KiB, %d wrong\n", index.entries.size(),
                file.stats().usable_bytes / 1024, wrong);
  }
  unlink(path.c_str());
  return wrong;
}
