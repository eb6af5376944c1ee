// Purpose: all counting resources that have a name, by time of making, and their scopes' counts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1 {

struct scope_counts;

namespace detail {

struct counted_totals;
struct named_scope;

// A member of every counting resource.
class MALLARD_API counted {
 public:
  using reader = void (*)(const void* resource, counted_totals& sum) noexcept;

  counted(const char* name, const void* resource, reader how) noexcept
      : name_(name), resource_(resource), read_(how) {
    if (name != nullptr) enroll();
  }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  ~counted() {
    if (name_ != nullptr || scopes_ != nullptr) strike_off();
  }

  const char* name() const noexcept { return name_; }
  void read(counted_totals& sum) const noexcept { read_(resource_, sum); }

  // Effects: adds the counts of a scope to those of its name. Without memory, does nothing.
  void add(const scope_counts& scope) noexcept;
  // Calls what(scope) for each, under the registry's lock.
  void for_each_scope(void (*what)(void* context, const scope_counts& scope), void* context) const;

  // Calls what(one) for all that have a name, under the registry's lock.
  static void for_each(void (*what)(void* context, const counted& one), void* context);

 private:
  void enroll() noexcept;
  void strike_off() noexcept;

  const char* name_;
  const void* resource_;
  reader read_;
  named_scope* scopes_ = nullptr;
  counted* next_ = nullptr;
  counted* previous_ = nullptr;
};

}  // namespace detail
}  // namespace mallard::inline v1
