// The container that allocates, and its declaration in the user's source.
#include "advise/declaration.hpp"

#include <gtest/gtest.h>

namespace {

using namespace mallard::advise;

container_type of(const std::string& name) {
  return container_of_stack({"operator new(unsigned long)", name, "main"});
}

TEST(declaration, the_innermost_container_of_a_stack_is_named_without_what_the_library_adds) {
  EXPECT_EQ(of("void std::vector<order, std::allocator<order> >::_M_realloc_insert<order>(order&&)")
                .in("std::"),
            "std::vector<order>");
  EXPECT_EQ(of("std::map<int, std::pair<a, b>, std::less<int>, std::allocator<std::pair<int const, "
               "std::pair<a, b> > > >::operator[](int&&)")
                .in("std::pmr::"),
            "std::pmr::map<int, std::pair<a, b>>");
  EXPECT_EQ(of("std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> "
               ">::_M_create(unsigned long&, unsigned long)")
                .in("std::"),
            "std::string");
  EXPECT_EQ(of("my::vector<int>::grow()").kind, "");
}

TEST(declaration, the_nearest_above_is_changed_in_its_line) {
  const std::string source =
      "void f() {\n"
      "  std::vector<int> others;\n"
      "  std::vector<order> orders;\n"
      "  const std::vector<order> copied(orders);  \n"
      "  for (;;) {\n"
      "    orders.push_back({});\n";
  const container_type orders = {"vector", "order"};
  auto found = change_declaration(source, 6, orders);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->line, 4u);
  EXPECT_EQ(found->before, "const std::vector<order> copied(orders);");
  EXPECT_EQ(found->after, "const std::pmr::vector<order> copied(orders, &resource);");
  found = change_declaration(source, 3, orders);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->line, 3u);
  EXPECT_EQ(found->after, "std::pmr::vector<order> orders{&resource};");
  EXPECT_FALSE(change_declaration(source, 2, orders)) << "it is one of numbers";
  EXPECT_TRUE(change_declaration(source, 3, {"vector", "(anonymous namespace)::order"}));
}

TEST(declaration, nothing_is_said_where_a_line_is_no_plain_declaration) {
  const container_type text = {"string", ""};
  for (const char* line :
       {"std::string name = other;", "std::string f(int);  // of a file", "use(std::string(x));",
        "std::string_view part;", "std::string& name;", "std::string first, second;",
        "// std::string name;", "std::vector<std::string> names;", "std::string", ""}) {
    EXPECT_FALSE(change_declaration(line, 1, text)) << line;
  }
  EXPECT_TRUE(change_declaration("std::string name;", 1, text));
  EXPECT_FALSE(change_declaration("std::string name;", 2, text));
}

}  // namespace
