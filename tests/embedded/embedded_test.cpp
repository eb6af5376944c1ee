#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "support/commands.hpp"
#include "support/scratch_path.hpp"

namespace {

namespace fs = std::filesystem;

constexpr const char* plug_in = MALLARD_PLUG_IN;

// The process's mappings, in KiB.
long mapped_kib() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    long kib = 0;
    if (word == "VmSize:" && status >> kib) return kib;
  }
  return -1;
}

int work_of(void* library) {
  return reinterpret_cast<int (*)()>(dlsym(library, "plug_in_work"))();
}

TEST(embedded, a_hundred_loads_and_unloads_leave_nothing_behind) {
  long after_ten = 0;
  for (int i = 1; i <= 100; ++i) {
    void* const library = dlopen(plug_in, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    ASSERT_EQ(work_of(library), 42);
    ASSERT_EQ(dlclose(library), 0);
    ASSERT_EQ(dlopen(plug_in, RTLD_NOW | RTLD_NOLOAD), nullptr) << "it is still loaded";
    if (i == 10) after_ten = mapped_kib();
  }
  EXPECT_LT(mapped_kib() - after_ten, 512);
}

TEST(embedded, threads_that_used_it_may_outlive_it) {
  for (int i = 0; i < 10; ++i) {
    void* const library = dlopen(plug_in, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    std::thread([&] {
      EXPECT_EQ(work_of(library), 42);
      dlclose(library);
    }).join();
    EXPECT_EQ(dlopen(plug_in, RTLD_NOW | RTLD_NOLOAD), nullptr);
  }
}

TEST(embedded, thirty_copies_fit_into_one_process) {
  const mallard::scratch_folder folder;
  std::vector<void*> libraries;
  for (int i = 0; i < 30; ++i) {
    const fs::path copy = folder / (std::to_string(i) + ".so");
    fs::copy_file(plug_in, copy);
    libraries.push_back(dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL));
    ASSERT_NE(libraries.back(), nullptr) << dlerror();
    EXPECT_EQ(work_of(libraries.back()), 42);
  }
  for (void* const library : libraries) dlclose(library);
}

TEST(embedded, no_name_of_ours_leaves_a_plug_in) {
  std::string command = MALLARD_NM " -D --defined-only ";
  command += plug_in;
  const std::string all = mallard_test::run_command(command).text;
  EXPECT_NE(all.find("plug_in_work"), std::string::npos);
  EXPECT_EQ(all.find("mallard"), std::string::npos) << all;
}

}  // namespace
