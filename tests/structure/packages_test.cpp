#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

#include "support/read_file.hpp"
#include "support/scratch_path.hpp"

namespace {

using mallard_test::read_file;

// Its build script compiles what these lists name, in the folders that crate.sh copies.
TEST(packages, the_crate_carries_every_file_that_it_compiles) {
  const mallard::scratch_folder crate;
  const std::string folder = crate.path().string();
  const std::string command = "'" MALLARD_SOURCE_DIR "/packaging/rust/crate.sh' '" + folder + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const std::string malloc_folder = folder + "/vendor/src/malloc/";
  const std::string lists = read_file(malloc_folder + "CMakeLists.txt");
  for (const char* list : {"set(mallard_malloc_engine", "set(mallard_malloc_entry"}) {
    const std::size_t begin = lists.find(list);
    ASSERT_NE(begin, lists.npos) << list;
    std::istringstream names(lists.substr(begin, lists.find(')', begin) - begin));
    std::size_t files = 0;
    std::string name;
    for (names >> name; names >> name; ++files) {
      EXPECT_TRUE(std::filesystem::exists(malloc_folder + name)) << name;
    }
    EXPECT_GT(files, 0u) << list;
  }
}

// `install` is told of files by their place in the source; the recipe copies what its list names.
TEST(packages, conans_recipe_carries_every_folder_that_is_installed) {
  const std::string recipe = read_file(MALLARD_SOURCE_DIR "/packaging/conan/conanfile.py");
  const std::string rules = read_file(MALLARD_SOURCE_DIR "/cmake/MallardInstall.cmake");
  const std::string source = "${PROJECT_SOURCE_DIR}/";
  std::size_t named = 0;
  for (std::size_t at = rules.find(source); at != rules.npos; at = rules.find(source, at + 1)) {
    const std::size_t begin = at + source.size();
    const std::string path = rules.substr(begin, rules.find_first_of(" \n)", begin) - begin);
    bool carried = recipe.find('"' + path + '"') != recipe.npos;
    for (std::string folder = path; !carried && !folder.empty();) {
      carried = recipe.find('"' + folder + "/*") != recipe.npos;
      folder.resize(folder.find('/') == folder.npos ? 0 : folder.rfind('/'));
    }
    EXPECT_TRUE(carried) << path;
    ++named;
  }
  EXPECT_GE(named, 5u);
}

}  // namespace
