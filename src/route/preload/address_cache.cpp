#include "route/preload/address_cache.hpp"

#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "unwind/module_of.hpp"

namespace mallard::route {
namespace {

// Another process may have died with it; then the module stays unknown.
bool lock(std::atomic<std::uint32_t>& word) {
  for (int i = 0; i < 1000; ++i) {
    if (word.exchange(1, std::memory_order_acquire) == 0) return true;
    sched_yield();
  }
  return false;
}

// The number of the module in the session, + 1; 0: none.
std::uint64_t module_number(session& all, const char* path) {
  const auto find = [&](std::uint32_t from) -> std::uint64_t {
    const std::uint32_t count = all.module_count.load(std::memory_order_acquire);
    for (std::uint32_t i = from; i < count; ++i) {
      if (std::strcmp(all.modules[i].text, path) == 0) return i + 1;
    }
    return 0;
  };
  if (const std::uint64_t known = find(0)) return known;
  if (!lock(all.module_lock)) return 0;
  std::uint64_t number = find(0);
  const std::uint32_t count = all.module_count.load(std::memory_order_relaxed);
  if (number == 0 && count < most_modules) {
    std::strcpy(all.modules[count].text, path);
    all.module_count.store(count + 1, std::memory_order_release);
    number = count + 1;
  }
  all.module_lock.store(0, std::memory_order_release);
  return number;
}

}  // namespace

bool address_cache::open(session& all) noexcept {
  void* const memory = mmap(nullptr, sizeof(entry) << bits, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  const int before = errno;
  if (readlink("/proc/self/exe", program_, sizeof program_ - 1) <= 0) program_[0] = '\0';
  errno = before;
  entries_ = static_cast<entry*>(memory);
  all_ = &all;
  return true;
}

void address_cache::clear() noexcept {
  for (std::size_t i = 0; i < std::size_t{1} << bits; ++i) {
    entries_[i].key.store(0, std::memory_order_relaxed);
    entries_[i].marks.store(0, std::memory_order_relaxed);
  }
}

std::uint64_t address_cache::key_of(std::uint64_t ip) noexcept {
  const unwind::module_range found = unwind::module_of(ip - 1);
  if (found.module == nullptr) return 0;
  const bool is_program = found.module->l_name[0] == '\0';
  const char* const path = is_program ? program_ : found.module->l_name;
  if (*path == '\0' || std::strlen(path) >= path_bytes) return 0;
  const std::uint64_t module = module_number(*all_, path);
  return module == 0 ? 0 : module << module_shift | (ip - found.module->l_addr);
}

std::uint64_t address_cache::called_before(std::uint64_t ip) noexcept {
#if defined(__x86_64__)
  if (ip == 0) return 0;
  const auto* const code = reinterpret_cast<const unsigned char*>(ip);
  std::int32_t distance = 0;
  std::memcpy(&distance, code - sizeof distance, sizeof distance);
  constexpr unsigned char call = 0xe8;
  // A return address lies behind what it stands for.
  if (code[-5] == call) return ip + static_cast<std::uint64_t>(std::int64_t{distance}) + 1;
#endif
  (void)ip;
  return 0;
}

// Asks for them if nobody has.
std::uint32_t address_cache::marks_in_session(std::uint64_t key) noexcept {
  std::size_t place = place_of(key);
  for (std::size_t tries = 0; tries < 4096; ++tries, place = (place + 1) % most_addresses) {
    address_marks& one = all_->addresses[place];
    std::uint64_t there = one.key.load(std::memory_order_relaxed);
    if (there == 0) {
      // Half of the table stays empty, so that looking for what is not there ends soon.
      if (all_->address_count.load(std::memory_order_relaxed) > most_addresses / 2) return 0;
      if (one.key.compare_exchange_strong(there, key)) {
        all_->address_count.fetch_add(1, std::memory_order_relaxed);
        return 0;
      }
    }
    if (there == key) return one.marks.load(std::memory_order_relaxed);
  }
  return 0;
}

std::uint32_t address_cache::find_slowly(std::uint64_t ip, entry& at) noexcept {
  std::uint32_t found = 0;
  if (const std::uint64_t key = key_of(ip)) {
    found = marks_in_session(key);
    // It will be asked for, and is to be known in the same run.
    if (found == 0 && all_->knows_frames) {
      const std::uint64_t called = called_before(ip);
      const std::uint64_t key_of_called = called == 0 ? 0 : key_of(called);
      if (key_of_called != 0) marks_in_session(key_of_called);
    }
  }
  at.marks.store(found, std::memory_order_relaxed);
  at.key.store(ip ^ found, std::memory_order_relaxed);
  return found;
}

}  // namespace mallard::route
