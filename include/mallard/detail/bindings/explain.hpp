// Purpose: the compiler's messages when a container bound by type is not given its resource.
#pragma once

#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail {

// False, but only once somebody asks.
template <class Resource>
inline constexpr bool has_a_default = false;

#define MALLARD_PASS_THE_RESOURCE                                                             \
  "pass the resource: an allocator bound by type has no default, so containers and strings, " \
  "also temporary ones and the values that operator[] makes, are constructed with &resource"

template <class Given, class Bound>
inline constexpr bool is_the_type_bound_to = false;

template <class Given, class Bound>
struct given_and_bound {
  static constexpr void explain() noexcept {
    static_assert(is_the_type_bound_to<Given, Bound>,
                  "the resource given is not of the type that the allocator is bound to "
                  "(given_and_bound names both): bind to the given one's type, or by abstract base "
                  "with std::pmr");
  }
};

}  // namespace mallard::inline v1::detail
