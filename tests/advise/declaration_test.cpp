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
  EXPECT_EQ(of("load(std::vector<order, std::allocator<order> >&)").kind, "") << "it is given one";
}

const std::string text_type =
    "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";

TEST(declaration, arguments_of_other_templates_of_the_library_are_named_as_they_are_written) {
  EXPECT_EQ(of("void std::vector<std::optional<" + text_type + " >, std::allocator<std::optional<" +
               text_type + " > > >::_M_realloc_insert<int>(int&&)")
                .in("std::"),
            "std::vector<std::optional<std::string>>");
}

TEST(declaration, of_a_container_of_containers_it_is_the_outer_one_that_fills_the_inner) {
  const std::string fills = "void std::vector<" + text_type + ", std::allocator<" + text_type +
                            " > >::emplace_back<char const*>(char const*&&)";
  const container_type texts = container_of_stack(
      {"operator new(unsigned long)", text_type + "::_M_create(unsigned long&, unsigned long)",
       "void std::_Construct<" + text_type + ">(" + text_type + "*)", fills, "load()"});
  EXPECT_EQ(texts.in("std::"), "std::vector<std::string>");
  EXPECT_EQ(texts.in("std::pmr::"), "std::pmr::vector<std::pmr::string>");
  EXPECT_EQ(container_of_stack({text_type + "::_M_create(unsigned long&, unsigned long)",
                                "read_word(std::istream&)", fills})
                .in("std::"),
            "std::string")
      << "the program's own function makes it";
  const auto found =
      change_declaration("std::vector<std::string> names;", 1, {"vector", "std::string"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->after, "std::pmr::vector<std::pmr::string> names{&resource};");
}

TEST(declaration, a_container_that_takes_a_resource_already_stays_what_it_is) {
  const container_type list =
      of("std::list<int, std::pmr::polymorphic_allocator<int> >::push_back(int&&)");
  EXPECT_EQ(list.as_it_is(), "std::pmr::list<int>");
  EXPECT_EQ(list.in("std::pmr::"), "std::pmr::list<int>");
  const auto found = change_declaration("  std::pmr::list<int> l;", 1, list);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->after, "std::pmr::list<int> l{&resource};");
  const std::string text =
      "std::__cxx11::basic_string<char, std::char_traits<char>, "
      "std::pmr::polymorphic_allocator<char> >";
  EXPECT_EQ(of(text + "::_M_create(unsigned long&, unsigned long)").as_it_is(), "std::pmr::string");
  EXPECT_EQ(of("std::map<int, " + text + ", std::less<int>, std::pmr::polymorphic_allocator<" +
               "std::pair<int const, " + text + " > > >::operator[](int&&)")
                .as_it_is(),
            "std::pmr::map<int, std::pmr::string>");
  EXPECT_FALSE(of("void std::vector<" + text_type + ", std::allocator<" + text_type +
                  " > >::emplace_back<char const*>(char const*&&)")
                   .is_pmr);
}

TEST(declaration, compiles_anywhere_if_it_has_no_type_of_the_programs) {
  const container_type texts = {"multimap", "unsigned long, std::vector<std::string>"};
  EXPECT_TRUE(texts.is_of_library_alone());
  EXPECT_EQ(texts.headers(), (std::vector<std::string>{"map", "string", "vector"}));
  for (const char* own : {"order", "int, app::order", "std::pair<int, int>", "order*"}) {
    EXPECT_FALSE((container_type{"vector", own}.is_of_library_alone())) << own;
  }
  EXPECT_FALSE((container_type{"unique_ptr", "int"}.is_of_library_alone()));
}

TEST(declaration, of_a_single_object_it_is_the_pointer_that_owns_it) {
  EXPECT_EQ(of("std::__detail::_MakeUniq<app::node>::__single_object std::make_unique<app::node, "
               "int&>(int&)")
                .in("std::"),
            "std::unique_ptr<app::node>");
  EXPECT_EQ(container_of_stack({"std::__shared_count<(__gnu_cxx::_Lock_policy)2>::__shared_count()",
                                "std::shared_ptr<node> std::make_shared<node, int&>(int&)"})
                .in("std::"),
            "std::shared_ptr<node>");
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
