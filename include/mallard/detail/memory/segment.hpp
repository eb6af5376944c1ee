// Purpose: a segment in this process's addresses, and what its lock guards: units and slabs that
// are taken and given, slabs that change their owner, the file that grows.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/config.hpp"
#include "mallard/detail/memory/segment_layout.hpp"

namespace mallard::inline v1::detail {

enum class segment_view {
  shared,        // what is written is seen by all, and in the file
  private_copy,  // what is written stays in this process
};

class MALLARD_API segment {
 public:
  // Takes over the descriptor; `who` names the caller in exceptions.
  segment(const char* who, int descriptor, segment_view view) noexcept
      : who_(who), descriptor_(descriptor), view_(view) {}
  segment(const segment&) = delete;
  segment& operator=(const segment&) = delete;
  ~segment();

  // Call one of these first; both throw memory_error. `address`: where to map it, or null. `create`
  // takes an empty file, `open` one that `create` made, as far as that can be seen without touching
  // it.
  void create(segment_kind kind, std::size_t limit_bytes, void* address);
  void open(segment_kind kind, void* address);

  // Refuse what `create` and `open` would refuse, before there is a file. Errors: memory_error.
  static void check_limit(const char* who, std::size_t limit_bytes);
  static void check_address(const char* who, const void* address);
  // Whether it is what `create` leaves when its process ends before it does. The caller has ensured
  // that nobody is making it now.
  static bool is_half_made(int descriptor, segment_kind kind) noexcept;

  const char* who() const noexcept { return who_; }
  std::byte* base() const noexcept { return base_; }
  segment_header& header() const noexcept { return *reinterpret_cast<segment_header*>(base_); }
  const segment_shape& shape() const noexcept { return shape_; }
  int descriptor() const noexcept { return descriptor_; }
  bool is_private() const noexcept { return view_ == segment_view::private_copy; }
  bool has(const void* p) const noexcept {
    return address_of(p) - address_of(base_) < shape_.limit_bytes;
  }
  segment_slab& slab_at(std::uint32_t unit) const noexcept {
    return *reinterpret_cast<segment_slab*>(base_ + std::size_t{unit} * unit_bytes);
  }
  std::uint32_t unit_of(const void* p) const noexcept {
    return static_cast<std::uint32_t>((address_of(p) - address_of(base_)) / unit_bytes);
  }
  // Throws memory_error unless everything is where a sane segment has it.
  void check() const;

  // For the child of a fork: it gets locks of its own, not the parent's.
  void become_another_process() noexcept;

  // Holds the lock, in a shared segment against other processes. Errors: memory_error.
  class [[nodiscard]] guard {
   public:
    explicit guard(segment& s) : segment_(s) { segment_.lock(); }
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;
    ~guard() { segment_.unlock(); }

   private:
    segment& segment_;
  };

  // Everything below requires the lock.

  // Takes units in a row, the first at a multiple of `alignment` units. If there are none: no_unit,
  // and why. `may_grow`: the file may grow for it.
  struct taken {
    std::uint32_t unit = no_unit;
    int error = 0;  // the system's; 0: the limit
  };
  taken take_units(std::uint32_t count, std::uint32_t alignment, bool may_grow) noexcept;
  void give_units(std::uint32_t first, std::uint32_t count) noexcept;

  // Takes a slab without an owner, or a fresh one, for an owner.
  std::uint32_t adopt_slab(unsigned size_class, std::uint32_t owner) noexcept;
  taken take_slab(unsigned size_class, const slab_shape& shape, std::uint32_t owner,
                  bool may_grow) noexcept;
  void give_slab(std::uint32_t unit, const slab_shape& shape) noexcept;
  void leave_slab(std::uint32_t unit) noexcept;  // to nobody
  // Leaves all slabs of an owner that no longer exists.
  void leave_slabs_of(std::uint32_t owner) noexcept;
  // Gives back slabs without an owner in which no slot is in use.
  void give_empty_slabs_of_nobody() noexcept;

  // Undoes or finishes the operation that was interrupted, and finds slabs without an owner.
  void recover() noexcept;

  std::uint32_t units_in_use() const noexcept;

  // Calls `visit(unit, slab)` for each slab.
  template <class Visit>
  void for_each_slab(Visit&& visit) const {
    const std::size_t words = divide_up(usable_units(), 64);
    for (std::size_t i = 0; i < words; ++i) {
      std::uint64_t bits = slab_map()[i].load(std::memory_order_relaxed);
      for (; bits != 0; bits &= bits - 1) {
        const auto unit =
            static_cast<std::uint32_t>(i * 64) + static_cast<std::uint32_t>(std::countr_zero(bits));
        visit(unit, slab_at(unit));
      }
    }
  }

 private:
  using map_word = std::atomic<std::uint64_t>;
  enum class what { used, free };

  void lock();
  void unlock() noexcept;
  void reserve(void* address);
  void map();
  void initialise(segment_kind kind) noexcept;
  map_word* used_map() const noexcept {
    return reinterpret_cast<map_word*>(base_ + shape_.used_map);
  }
  map_word* slab_map() const noexcept {
    return reinterpret_cast<map_word*>(base_ + shape_.slab_map);
  }
  std::uint32_t usable_units() const noexcept;
  std::uint32_t next_that_is(what state, std::uint32_t from, std::uint32_t to) const noexcept;
  std::uint32_t find_row(std::uint32_t count, std::uint32_t alignment, std::uint32_t from,
                         std::uint32_t to) const noexcept;
  taken find_units(std::uint32_t count, std::uint32_t alignment, bool may_grow) noexcept;
  int grow(std::uint32_t least_units) noexcept;
  void begin_deed(unit_deed deed, std::uint32_t first, std::uint32_t count) noexcept;
  void end_deed() noexcept;
  void mark_units(std::uint32_t first, std::uint32_t count, what state) noexcept;
  void mark_slab(std::uint32_t unit, bool is_slab) noexcept;
  void check_slab(std::uint32_t unit, std::uint32_t& end) const;
  void check_roots() const;
  [[noreturn]] void fail_damaged(const char* found, std::uint64_t where) const;

  const char* who_;
  int descriptor_;
  segment_view view_;
  segment_shape shape_{};  // a copy that nobody else can change
  std::byte* base_ = nullptr;
  std::byte* reserved_ = nullptr;
  std::size_t reserved_bytes_ = 0;
};

// A page of this process only lies before each segment. Code that finds the segment by an offset
// from its own address finds there what this process knows of it.
inline void*& process_word_of(const std::byte* base) noexcept {
  return *reinterpret_cast<void**>(address_of(base) - sizeof(void*));
}

}  // namespace mallard::inline v1::detail
