#include "profile/trace/demangled.hpp"

#include <gtest/gtest.h>

#include "profile/function_names.hpp"

namespace {

using mallard::profile::demangled;
using mallard::profile::is_allocation_function;
using mallard::profile::is_of_library_header;

TEST(demangled, names_of_cxx_are_as_they_were_written) {
  EXPECT_EQ(demangled("_Znwm"), "operator new(unsigned long)");
  EXPECT_EQ(demangled("_Z1fv"), "f()");
}

// "f" is how C++ encodes the type float, "i" int, "v" void.
TEST(demangled, a_name_of_one_letter_is_a_function_and_not_a_type) {
  for (const char* const name : {"f", "i", "v", "St", "malloc", ""}) {
    EXPECT_EQ(demangled(name), name);
  }
}

TEST(demangled, a_damaged_name_stays_as_it_is) {
  EXPECT_EQ(demangled("_Z1"), "_Z1");
}

TEST(function_names, of_rusts_allocation_are_known_without_a_demangler) {
  for (const char* const name : {"_RNvNtCslNYArtu3iFV_5alloc5alloc5alloc",
                                 "_RNvNtCslNYArtu3iFV_5alloc5alloc15exchange_malloc",
                                 "alloc::raw_vec::finish_grow", "__rust_alloc", "__rdl_realloc"}) {
    EXPECT_TRUE(is_allocation_function(name)) << name;
  }
  EXPECT_FALSE(is_allocation_function("_RNvCs1234_2rs4main"));
  EXPECT_TRUE(is_of_library_header("_RNvX", "/rustc/5680fa18/library/alloc/src/boxed.rs"));
  EXPECT_FALSE(is_of_library_header("_RNvX", "/home/me/rs/src/main.rs"));
}

}  // namespace
