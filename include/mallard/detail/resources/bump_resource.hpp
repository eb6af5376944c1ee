// Purpose: names the resources whose deallocate does nothing, so that others can skip the calls.
#pragma once

#include <concepts>
#include <memory_resource>
#include <type_traits>

namespace mallard::inline v1::detail {

template <class R>
concept bump_resource = std::derived_from<R, std::pmr::monotonic_buffer_resource> ||
                        (std::derived_from<R, std::pmr::memory_resource> && R::deallocate_is_noop);

template <class Pointer>
concept bump_pointer = std::is_pointer_v<Pointer> && bump_resource<std::remove_pointer_t<Pointer>>;

}  // namespace mallard::inline v1::detail
