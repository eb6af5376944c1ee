#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace {

std::string words_in(const std::string& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// Its build script compiles what these lists name, in the folders that crate.sh copies.
TEST(packages, the_crate_carries_every_file_that_it_compiles) {
  std::string folder = (std::filesystem::temp_directory_path() / "crate-XXXXXX").string();
  ASSERT_TRUE(mkdtemp(folder.data()));
  const std::string command = "'" MALLARD_SOURCE_DIR "/packaging/rust/crate.sh' '" + folder + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const std::string malloc_folder = folder + "/vendor/src/malloc/";
  const std::string lists = words_in(malloc_folder + "CMakeLists.txt");
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
  std::filesystem::remove_all(folder);
}

}  // namespace
