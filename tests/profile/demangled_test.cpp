#include "profile/trace/demangled.hpp"

#include <gtest/gtest.h>

namespace {

using mallard::profile::demangled;

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

}  // namespace
