#include <memory_resource>
#include <vector>

#include "checks/planted_faults.hpp"

namespace planted {
namespace {

using mallard::guard_resource;
using mallard::guarded_side;
using fault = test_fault;

void write(void* p) {
  *static_cast<volatile char*>(p) = 'x';
}
void read(void* p) {
  (void)*static_cast<volatile char*>(p);
}

}  // namespace

void add_guarded(std::vector<program>& to) {
  const auto crash = [&](const char* name, fault expected, void (*run)(bench&, bool)) {
    to.push_back({name, expected, true, run});
  };
  crash("guarded: a byte read behind the block", fault::overrun, [](bench&, bool plant) {
    guard_resource pages;
    auto* const p = static_cast<char*>(pages.allocate(100, 4));
    read(plant ? p + 100 : p + 99);
    pages.deallocate(p, 100, 4);
  });
  crash("guarded: a byte written behind the block", fault::overrun, [](bench&, bool plant) {
    guard_resource pages;
    auto* const p = static_cast<char*>(pages.allocate(5000, 8));
    write(plant ? p + 5000 : p + 4999);
    pages.deallocate(p, 5000, 8);
  });
  crash("guarded: an empty block read", fault::overrun, [](bench&, bool plant) {
    guard_resource pages;
    void* const p = pages.allocate(0, 8);
    if (plant) read(p);
    pages.deallocate(p, 0, 8);
  });
  crash("guarded: a byte read before the block", fault::underrun, [](bench&, bool plant) {
    guard_resource pages({.side = guarded_side::begin});
    auto* const p = static_cast<char*>(pages.allocate(100, 64));
    read(plant ? p - 1 : p);
    pages.deallocate(p, 100, 64);
  });
  crash("guarded: a block read after it was given back", fault::use_after_free,
        [](bench&, bool plant) {
          guard_resource pages;
          void* const p = pages.allocate(100, 8);
          if (!plant) read(p);
          pages.deallocate(p, 100, 8);
          if (plant) read(p);
        });
  crash("guarded: a vector's old buffer read", fault::use_after_free, [](bench&, bool plant) {
    guard_resource pages({.side = guarded_side::begin});
    std::pmr::vector<int> v({1, 2, 3}, &pages);
    int* kept = v.data();
    v.reserve(1000);
    read(plant ? kept : v.data());
  });
  crash("guarded: under a test_resource without pads", fault::overrun, [](bench&, bool plant) {
    guard_resource pages;
    mallard::test_resource memory({.pad_bytes = 0, .quarantine_bytes = 0}, &pages);
    auto* const p = static_cast<char*>(memory.allocate(8, 8));
    read(plant ? p + 8 : p + 7);
    memory.deallocate(p, 8, 8);
  });

  const auto add = [&](const char* name, fault expected, void (*run)(bench&, bool)) {
    to.push_back({name, expected, false, run});
  };
  add("guarded: behind an odd size", fault::overrun, [](bench& b, bool plant) {
    guard_resource pages({}, b.note());
    auto* const p = static_cast<char*>(pages.allocate(13, 8));
    write(plant ? p + 13 : p + 12);
    pages.deallocate(p, 13, 8);
  });
  add("guarded: behind a block that begins at a page", fault::overrun, [](bench& b, bool plant) {
    guard_resource pages({.side = guarded_side::begin}, b.note());
    auto* const p = static_cast<char*>(pages.allocate(100, 8));
    write(plant ? p + 4000 : p + 99);
    pages.deallocate(p, 100, 8);
  });
  add("guarded: twice", fault::double_free, [](bench& b, bool plant) {
    guard_resource pages({}, b.note());
    void* const p = pages.allocate(13, 8);
    pages.deallocate(p, 13, 8);
    if (plant) pages.deallocate(p, 13, 8);
  });
  add("guarded: another size", fault::wrong_size, [](bench& b, bool plant) {
    guard_resource pages({}, b.note());
    void* const p = pages.allocate(16, 8);
    pages.deallocate(p, plant ? 8 : 16, 8);
  });
  add("guarded: another alignment", fault::wrong_alignment, [](bench& b, bool plant) {
    guard_resource pages({}, b.note());
    void* const p = pages.allocate(16, 8);
    pages.deallocate(p, 16, plant ? 16 : 8);
  });
  add("guarded: a block of another", fault::foreign_pointer, [](bench& b, bool plant) {
    guard_resource pages({}, b.note());
    guard_resource theirs({}, b.note());
    void* const p = theirs.allocate(16, 8);
    if (plant) pages.deallocate(p, 16, 8);
    theirs.deallocate(p, 16, 8);
  });
}

std::vector<program> all_programs() {
  std::vector<program> all;
  add_writes(all);
  add_givings(all);
  add_bindings(all);
  add_guarded(all);
  return all;
}

}  // namespace planted
