#include "mallard/memory/segment.hpp"

#include <bit>
#include <cerrno>
#include <cstring>

#include "mallard/detail/memory/failures.hpp"
#include "mallard/detail/memory/segment_registry.hpp"

namespace mallard::inline v1 {

namespace os = detail::os;

namespace {

// A lock among the threads of a process; does nothing while there is one.
class thread_guard {
 public:
  explicit thread_guard(std::mutex& lock) : lock_(os::is_single_threaded() ? nullptr : &lock) {
    if (lock_ != nullptr) lock_->lock();
  }
  thread_guard(const thread_guard&) = delete;
  thread_guard& operator=(const thread_guard&) = delete;
  ~thread_guard() {
    if (lock_ != nullptr) lock_->unlock();
  }

 private:
  std::mutex* lock_;
};

bool has_slot(std::size_t request) noexcept {
  return request - 1 < detail::largest_slot_bytes;
}

std::uint32_t units_for(std::size_t bytes) noexcept {
  return static_cast<std::uint32_t>(detail::divide_up(bytes, detail::unit_bytes));
}

}  // namespace

segment_resource::segment_resource(const char* who, int descriptor,
                                   detail::segment_view view) noexcept
    : segment_(who, descriptor, view), client_(segment_) {}

segment_resource::~segment_resource() {
  end();
}

void segment_resource::begin() {
  detail::process_word_of(segment_.base()) = this;
  detail::segment_registry::add(*this);
  begun_ = true;
}

bool segment_resource::end() noexcept {
  if (!begun_) return false;
  begun_ = false;
  detail::segment_registry::remove(*this);
  return client_.leave();
}

// Null, and the system's error or 0 when the segment is full. Throws only when the segment is lost.
void* segment_resource::take(std::size_t bytes, std::size_t alignment, int& error) {
  if (bytes == 0) bytes = 1;
  const std::size_t request = detail::class_request(bytes, alignment);
  const thread_guard held(lock_);
  if (has_slot(request)) {
    const unsigned size_class = detail::class_of(request);
    if (void* const p = client_.take(size_class)) return p;
    return client_.take_slowly(size_class, error);
  }
  if (bytes >= segment_.shape().limit_bytes) return nullptr;
  const detail::segment::taken units = client_.take_units(
      units_for(bytes),
      static_cast<std::uint32_t>(detail::larger(alignment / detail::unit_bytes, std::size_t{1})));
  error = units.error;
  return units.unit != detail::no_unit ? &segment_.slab_at(units.unit) : nullptr;
}

void* segment_resource::allocate_slow(std::size_t bytes, std::size_t alignment) {
  detail::check_request(segment_.who(), bytes, alignment, largest_alignment);
  int error = 0;
  if (void* const p = take(bytes, alignment, error)) return p;
  if (error != 0) {
    detail::fail_memory(memory_fault::refused, error, segment_.who(), "cannot grow for %zu bytes",
                        bytes);
  }
  detail::fail_memory(memory_fault::full, ENOMEM, segment_.who(),
                      "%zu bytes at %zu in a limit of %llu", bytes, alignment,
                      static_cast<unsigned long long>(segment_.shape().limit_bytes));
}

void* segment_resource::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (void* const p = take_at_once(bytes, alignment)) return p;
  if (!detail::is_request(bytes, alignment, largest_alignment)) return nullptr;
  try {
    int error = 0;
    return take(bytes, alignment, error);
  } catch (const memory_error&) {
    return nullptr;  // the lock is lost, and with it the segment
  }
}

void segment_resource::deallocate_slow(void* p, std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes == 0) bytes = 1;
  MALLARD_ASSERT(owns(p) && "a block of another resource");
  const std::size_t request = detail::class_request(bytes, alignment);
  const thread_guard held(lock_);
  if (has_slot(request)) return client_.give(p, detail::class_of(request));
  try {
    client_.give_units(segment_.unit_of(p), units_for(bytes));
  } catch (const memory_error&) {
    // The lock is lost, and with it the segment.
  }
}

unsigned segment_resource::adopt_the_dead() {
  const thread_guard held(lock_);
  return client_.adopt_the_dead();
}

void segment_resource::trim() {
  const thread_guard held(lock_);
  client_.trim();
}

void segment_resource::check_name(const char* name) const {
  if (name == nullptr || *name == '\0' || std::strlen(name) > largest_name_bytes) {
    detail::fail_memory(memory_fault::bad_name, EINVAL, segment_.who(),
                        "a root's name has 1 to %zu bytes, not '%.60s'", largest_name_bytes,
                        name == nullptr ? "(null)" : name);
  }
}

// Requires the segment's lock. Null when there is none.
detail::segment_root* segment_resource::root_named(const char* name) {
  for (detail::segment_root& root : segment_.header().roots) {
    if (root.offset.load(std::memory_order_acquire) == 0) continue;
    if (std::strncmp(root.name, name, detail::root_name_bytes) == 0) return &root;
  }
  return nullptr;
}

// Two types of one size differ by their names, or by what kind of numbers they are.
void segment_resource::fail_type(const char* name, const detail::type_record& there,
                                 const detail::type_record& asked_for) const {
  if (there.bytes == asked_for.bytes && there.alignment == asked_for.alignment) {
    detail::fail_memory(memory_fault::wrong_type, EINVAL, segment_.who(),
                        "the root '%s' is of another type of the same size", name);
  }
  detail::fail_memory(memory_fault::wrong_type, EINVAL, segment_.who(),
                      "the root '%s' is of another type (%llu bytes at %llu, not %llu at %llu)",
                      name, static_cast<unsigned long long>(there.bytes),
                      static_cast<unsigned long long>(there.alignment),
                      static_cast<unsigned long long>(asked_for.bytes),
                      static_cast<unsigned long long>(asked_for.alignment));
}

void* segment_resource::add_root(const char* name, void* p, const detail::type_record& type,
                                 bool alone) {
  check_name(name);
  const auto offset = static_cast<std::uint64_t>(static_cast<std::byte*>(p) - segment_.base());
  const thread_guard threads(lock_);
  const detail::segment::guard held(segment_);
  if (detail::segment_root* const there = root_named(name)) {
    if (alone) {
      detail::fail_memory(memory_fault::exists, EEXIST, segment_.who(), "a root named '%s'", name);
    }
    if (there->type != type) fail_type(name, there->type, type);
    return segment_.base() + there->offset.load(std::memory_order_acquire);
  }
  for (detail::segment_root& root : segment_.header().roots) {
    if (root.offset.load(std::memory_order_relaxed) != 0) continue;
    std::memcpy(root.name, name, std::strlen(name) + 1);  // checked: it fits
    root.type = type;
    root.offset.store(offset, std::memory_order_release);
    return p;
  }
  detail::fail_memory(memory_fault::full, ENOSPC, segment_.who(), "there are %zu roots already",
                      detail::root_count);
}

void segment_resource::set_root(const char* name, void* p) {
  if (p != nullptr) {
    const std::size_t begin = std::size_t{segment_.shape().first_unit} * detail::unit_bytes;
    const auto* const at = static_cast<std::byte*>(p);
    if (!owns(p) || static_cast<std::size_t>(at - segment_.base()) < begin) {
      detail::fail_memory(memory_fault::not_memory, EFAULT, segment_.who(),
                          "%p is not of this memory", p);
    }
    add_root(name, p, {}, true);
    return;
  }
  check_name(name);
  const thread_guard threads(lock_);
  const detail::segment::guard held(segment_);
  if (detail::segment_root* const there = root_named(name)) {
    there->offset.store(0, std::memory_order_release);
  }
}

void* segment_resource::root(const char* name) {
  check_name(name);
  const thread_guard threads(lock_);
  const detail::segment::guard held(segment_);
  const detail::segment_root* const there = root_named(name);
  if (there == nullptr) return nullptr;
  return segment_.base() + there->offset.load(std::memory_order_acquire);
}

void* segment_resource::find_root(const char* name, const detail::type_record& type, bool takes) {
  check_name(name);
  const thread_guard threads(lock_);
  const detail::segment::guard held(segment_);
  detail::segment_root* const there = root_named(name);
  if (there == nullptr) return nullptr;
  if (there->type != type) fail_type(name, there->type, type);
  void* const p = segment_.base() + there->offset.load(std::memory_order_acquire);
  if (takes) there->offset.store(0, std::memory_order_release);
  return p;
}

segment_stats segment_resource::stats() {
  const thread_guard threads(lock_);
  const detail::segment::guard held(segment_);
  segment_stats out;
  const detail::segment_header& header = segment_.header();
  out.limit_bytes = segment_.shape().limit_bytes;
  out.usable_bytes =
      std::size_t{header.usable_units.load(std::memory_order_relaxed)} * detail::unit_bytes;
  out.in_use_bytes = std::size_t{segment_.units_in_use()} * detail::unit_bytes;
  for (const detail::segment_client_slot& slot : header.clients) {
    out.users += slot.in_use.load(std::memory_order_relaxed) != 0;
  }
  segment_.for_each_slab([&](std::uint32_t, detail::segment_slab& slab) {
    const detail::slab_shape shape = detail::shape_of(slab.size_class, segment_.shape().slab_bytes);
    ++out.slabs;
    for (std::size_t i = 0; i < shape.words; ++i) {
      const std::uint64_t free = slab.free_words()[i].load(std::memory_order_relaxed) |
                                 slab.returned_words(shape)[i].load(std::memory_order_relaxed);
      out.in_use_bytes -= static_cast<std::size_t>(std::popcount(free)) * shape.block_bytes;
    }
  });
  return out;
}

void segment_resource::verify() {
  const thread_guard threads(lock_);
  const detail::segment::guard held(segment_);
  segment_.check();
}

}  // namespace mallard::inline v1
