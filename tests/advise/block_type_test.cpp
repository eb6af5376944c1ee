#include "advise/block_type.hpp"

#include <gtest/gtest.h>

namespace {

using namespace mallard::advise;

TEST(block_type, is_the_argument_of_what_makes_objects) {
  EXPECT_EQ(type_in("std::unique_ptr<order> std::make_unique<order, int>(int&&)"), "order");
  EXPECT_EQ(type_in("std::__new_allocator<app::item<int, long> >::allocate(unsigned long)"),
            "app::item<int, long>");
  EXPECT_EQ(type_in("std::vector<line, std::allocator<line> >::push_back(line&&)"), "line");
}

TEST(block_type, is_nothing_where_a_name_says_none) {
  EXPECT_EQ(type_in("parse(std::string_view)"), "");
  EXPECT_EQ(type_in("my_std::vector<int>::f()"), "");
  EXPECT_EQ(type_in("std::vector<"), "");
  EXPECT_EQ(type_in("std::allocator<void>::allocate()"), "");
  EXPECT_EQ(type_in(""), "");
}

TEST(block_type, of_a_containers_node_is_the_containers) {
  EXPECT_EQ(
      type_of_stack({"std::__new_allocator<std::_List_node<order> >::allocate(unsigned long)",
                     "std::__cxx11::list<order, std::allocator<order> >::push_back(order&&)"}),
      "order");
}

}  // namespace
