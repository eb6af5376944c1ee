#include "lab/measuring/readings.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <new>

namespace mallard::lab {
namespace {

constexpr std::size_t first_bytes = 4096;

}  // namespace

readings::~readings() {
  if (all_) munmap(all_, room_ * sizeof(reading));
}

void readings::grow() {
  const std::size_t before = room_ * sizeof(reading);
  const std::size_t after = std::max(first_bytes, 2 * before) / sizeof(reading) * sizeof(reading);
  void* mapped = mmap(nullptr, after, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* const more = static_cast<reading*>(mapped);
  std::copy_n(all_, count_, more);
  if (all_) munmap(all_, before);
  all_ = more;
  room_ = after / sizeof(reading);
}

void readings::add(std::string_view name, double value, std::int64_t part) {
  if (count_ == room_) grow();
  reading& fresh = all_[count_++];
  assert(name.size() < fresh.name.size());
  fresh = {};
  std::copy_n(name.begin(), std::min(name.size(), fresh.name.size() - 1), fresh.name.begin());
  fresh.value = value;
  fresh.part = part;
}

bool readings::has(std::string_view name) const {
  const auto every = all();
  return std::any_of(every.begin(), every.end(),
                     [&](const reading& one) { return one.what() == name; });
}

double readings::value_of(std::string_view name, std::int64_t part) const {
  for (const reading& one : all()) {
    if (one.what() == name && one.part == part) return one.value;
  }
  return 0;
}

void readings::clear() {
  count_ = 0;
  checksum = 0;
  hint = 0;
}

}  // namespace mallard::lab
