// That a call throws a memory_error of a kind, which names who asked and ends in the system's word.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory_resource>
#include <string>
#include <system_error>
#include <vector>

#include "mallard/memory/memory_error.hpp"
#include "mallard/multipool.hpp"

namespace mallard_test {

template <class Call>
std::string expect_memory_error(mallard::memory_fault fault, std::errc error, Call&& call) {
  try {
    call();
  } catch (const mallard::memory_error& e) {
    EXPECT_STREQ(to_string(e.fault()), to_string(fault)) << e.what();
    EXPECT_EQ(e.code(), error) << e.what();
    const std::string text = e.what();
    EXPECT_TRUE(text.ends_with(std::strerror(static_cast<int>(error)))) << text;
    EXPECT_NE(text.find("_resource: "), std::string::npos) << text;
    return text;
  }
  ADD_FAILURE() << "no memory_error of " << to_string(fault);
  return "";
}

// Arguments that no kind takes.
template <class Resource>
void expect_bad_requests_to_throw(Resource& resource) {
  using mallard::memory_fault;
  const auto expect = [&](memory_fault fault, std::errc error, std::size_t bytes,
                          std::size_t alignment) {
    expect_memory_error(fault, error, [&] { (void)resource.allocate(bytes, alignment); });
    EXPECT_EQ(resource.try_allocate(bytes, alignment), nullptr);
  };
  for (const std::size_t alignment : {0u, 3u, 24u, 4095u}) {
    expect(memory_fault::bad_alignment, std::errc::invalid_argument, 8, alignment);
  }
  expect(memory_fault::bad_alignment, std::errc::invalid_argument, 8, std::size_t{1} << 63);
  for (const std::size_t less : {0u, 1u, 15u, 16u, 17u, 4095u, 4096u, 65536u}) {
    expect(memory_fault::bad_size, std::errc::not_enough_memory, SIZE_MAX - less, 16);
    expect(memory_fault::bad_size, std::errc::not_enough_memory, SIZE_MAX / 2 - less % 16, 16);
  }
  expect(memory_fault::full, std::errc::not_enough_memory, SIZE_MAX / 4, 16);
  void* const p = resource.allocate(100, 64);
  resource.deallocate(p, 100, 64);
}

// A pool of this process's own lives in it; looks at what is in use meanwhile.
template <class Resource>
std::size_t use_pool_in(Resource& resource) {
  mallard::multipool_resource pool(&resource);
  std::pmr::vector<std::pmr::string> names(&pool);
  for (int i = 0; i < 10'000; ++i) names.emplace_back(100, 'x');
  if constexpr (requires { resource.owns(names[5000].data()); }) {
    EXPECT_TRUE(resource.owns(names[5000].data()));
  }
  return resource.stats().in_use_bytes;
}

}  // namespace mallard_test
