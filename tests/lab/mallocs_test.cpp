// The mallocs that are found.
#include "lab/measuring/mallocs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "lab/measuring/usage_error.hpp"
#include "support/message_of.hpp"
#include "support/scratch_path.hpp"

namespace mallard::lab {
namespace {

namespace fs = std::filesystem;

class mallocs_test : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* path = std::getenv("LD_LIBRARY_PATH")) before_ = path;
    fs::create_directories(folder_ / "bin");
  }
  void TearDown() override { setenv("LD_LIBRARY_PATH", before_.c_str(), 1); }
  fs::path make(const std::string& name) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << "library";
    return fs::canonical(folder_ / name);
  }
  fs::path found(const std::string& name) const {
    for (const auto& one : find_mallocs(folder_ / "bin/mallard").found) {
      if (one.name == name) return one.file;
    }
    return {};
  }

  const scratch_folder folder_;
  std::string before_;
};

TEST_F(mallocs_test, the_systems_comes_first_and_needs_no_file) {
  const malloc_list all = find_mallocs(folder_ / "bin/mallard");
  ASSERT_FALSE(all.found.empty());
  EXPECT_EQ(all.found[0].name, "glibc");
  EXPECT_TRUE(all.found[0].file.empty());
  EXPECT_EQ(all.found.size() + all.missing.size(), 7U);
}

TEST_F(mallocs_test, ours_is_found_beside_the_program_where_it_is_built_or_installed) {
  for (const char* place : {"lib", "src/malloc", "bin"}) {  // each goes before the last one
    const fs::path file = make(std::string(place) + "/libmallard-malloc.so");
    EXPECT_EQ(found("mallard"), file);
  }
}

TEST_F(mallocs_test, library_path_goes_before_the_systems_folders) {
  const fs::path file = make("mine/libjemalloc.so.2");
  setenv("LD_LIBRARY_PATH", ("/nowhere::" + (folder_ / "mine").string()).c_str(), 1);
  EXPECT_EQ(found("jemalloc"), file);
}

TEST_F(mallocs_test, missing_ones_are_named_with_their_files) {
  const malloc_list all = find_mallocs(folder_ / "bin/mallard");
  for (const skipped_peer& one : all.missing) {
    EXPECT_THAT(one.reason, testing::StartsWith("there is no lib")) << one.peer;
  }
}

TEST_F(mallocs_test, that_are_only_for_who_names_them_are_not_among_all) {
  const fs::path file = make("lib/libmallard-malloc-sticky.so");
  const malloc_list all = find_mallocs(folder_ / "bin/mallard");
  EXPECT_EQ(find_malloc("--m", "mallard-sticky", all).file, file);
  const auto has_sticky = [&](const std::vector<std::string>& words) {
    const malloc_list chosen = choose_mallocs("--m", words, all);
    return std::any_of(chosen.found.begin(), chosen.found.end(),
                       [](const malloc_library& one) { return one.name == "mallard-sticky"; });
  };
  EXPECT_FALSE(has_sticky({"all"}));
  EXPECT_TRUE(has_sticky({"all", "mallard-sticky"}));
}

TEST_F(mallocs_test, are_found_by_either_name_or_by_their_file) {
  const fs::path file = make("mine/libtcmalloc_minimal.so.4");
  setenv("LD_LIBRARY_PATH", (folder_ / "mine").c_str(), 1);
  const malloc_list all = find_mallocs(folder_ / "bin/mallard");
  for (const char* name : {"tcmalloc", "tcmalloc_minimal"}) {
    EXPECT_EQ(find_malloc("--m", name, all).file, file);
    EXPECT_EQ(find_malloc("--m", name, all).name, "tcmalloc");
  }
  EXPECT_TRUE(find_malloc("--m", "glibc", all).file.empty());
  const auto complaint = [&](const std::string& wanted) {
    return mallard_test::message_of<usage_error>([&] { find_malloc("--m", wanted, all); });
  };
  EXPECT_THAT(complaint("nobody"),
              testing::StartsWith("--m: unknown value 'nobody' (known: glibc"));
  EXPECT_THAT(complaint(file.string()), testing::HasSubstr("is no shared library"));
  EXPECT_EQ(complaint(HARMLESS_LIBRARY), "");
}

}  // namespace
}  // namespace mallard::lab
