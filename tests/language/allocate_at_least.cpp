// Where std has C++23's `allocate_at_least`, expandable_allocator takes part in it: std's
// containers get all that a block has. Compiled with every public header, as C++23.
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

#include "every_header.hpp"

#if defined(EXPECTS_ALLOCATE_AT_LEAST) && !defined(__cpp_lib_allocate_at_least)
#error "this standard library was to have allocate_at_least"
#endif

int main() {
  using allocator = mallard::expandable_allocator<int>;
  mallard::heap_resource heap;
  allocator a(&heap);
#ifdef __cpp_lib_allocate_at_least
  const auto array = std::allocator_traits<allocator>::allocate_at_least(a, 101);
  static_assert(std::is_same_v<decltype(array), const std::allocation_result<int*, std::size_t>>);
#else
  const auto array = a.allocate_at_least(101);
#endif
  for (std::size_t i = 0; i < array.count; ++i) array.ptr[i] = static_cast<int>(i);
  const bool enough = array.count >= 101 && array.ptr[100] == 100;
  a.deallocate(array.ptr, array.count);

  std::vector<int, allocator> numbers(a);
  for (int i = 0; i < 10'000; ++i) numbers.push_back(i);
  numbers.shrink_to_fit();
  const bool right = numbers.size() == 10'000 && numbers.back() == 9'999;
  numbers = std::vector<int, allocator>(a);
  return enough && right && heap.stats().array_blocks == 0 ? 0 : 1;
}
