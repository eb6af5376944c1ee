#include "mallard/checks/logging_resource.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory_resource>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "mallard/memory/memory_error.hpp"
#include "support/scratch_path.hpp"

namespace {

using mallard::logging_resource;

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string cell(const std::string& line, std::size_t column) {
  std::istringstream in(line);
  std::string out;
  for (std::size_t i = 0; i <= column; ++i) std::getline(in, out, ',');
  return out;
}

TEST(logging_resource, without_a_name_its_cells_are_empty) {
  const mallard::scratch_file file;
  {
    logging_resource log(file.path().c_str(), nullptr);
    log.deallocate(log.allocate(10, 8), 10, 8);
  }
  ASSERT_EQ(lines_of(file.path()).size(), 3u);
  EXPECT_EQ(cell(lines_of(file.path())[1], 6), "");
}

TEST(logging_resource, without_a_path_there_is_an_error_with_a_name) {
  try {
    logging_resource log(nullptr);
    FAIL() << "it was made";
  } catch (const mallard::memory_error& e) {
    EXPECT_EQ(e.fault(), mallard::memory_fault::bad_name);
  }
}

TEST(logging_resource, writes_a_line_for_each_call) {
  const mallard::scratch_file file;
  void* p = nullptr;
  {
    logging_resource log(file.path().c_str(), "names");
    p = log.allocate(100, 16);
    log.deallocate(p, 100, 16);
    EXPECT_EQ(log.error(), 0);
  }
  const auto lines = lines_of(file.path());
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], "time_ns,thread,call,block,bytes,alignment,resource");
  EXPECT_TRUE(std::regex_match(lines[1], std::regex("[0-9]+,1,allocate,0x[0-9a-f]+,100,16,names")))
      << lines[1];
  EXPECT_TRUE(
      std::regex_match(lines[2], std::regex("[0-9]+,1,deallocate,0x[0-9a-f]+,100,16,names")));
  EXPECT_EQ(std::stoull(cell(lines[1], 3), nullptr, 16), reinterpret_cast<std::uintptr_t>(p));
  EXPECT_LE(std::stoull(cell(lines[1], 0)), std::stoull(cell(lines[2], 0)));
}

TEST(logging_resource, logs_what_upstream_refuses) {
  const mallard::scratch_file file;
  {
    logging_resource log(file.path().c_str(), "n", std::pmr::null_memory_resource());
    EXPECT_THROW((void)log.allocate(10, 8), std::bad_alloc);
    log.flush();
    EXPECT_TRUE(
        std::regex_match(lines_of(file.path()).at(1), std::regex("[0-9]+,1,failed,,10,8,n")));
  }
}

TEST(logging_resource, numbers_threads_as_they_come) {
  const mallard::scratch_file file;
  {
    logging_resource log(file.path().c_str());
    log.deallocate(log.allocate(1, 1), 1, 1);
    std::thread([&] { log.deallocate(log.allocate(2, 1), 2, 1); }).join();
  }
  const auto lines = lines_of(file.path());
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(cell(lines[2], 1), "1");
  EXPECT_EQ(cell(lines[3], 1), "2");
}

TEST(logging_resource, names_with_commas_and_quotes_stay_one_cell) {
  const mallard::scratch_file file;
  {
    logging_resource log(file.path().c_str(), "a \"b\", c");
    log.deallocate(log.allocate(1, 1), 1, 1);
  }
  EXPECT_TRUE(lines_of(file.path()).at(1).ends_with(",1,1,\"a \"\"b\"\", c\""));
}

TEST(logging_resource, a_path_that_cannot_be_opened_is_an_error_with_the_systems_word) {
  try {
    logging_resource log("/nowhere/at/all.csv");
    FAIL() << "nothing was thrown";
  } catch (const mallard::memory_error& e) {
    EXPECT_EQ(e.code(), std::errc::no_such_file_or_directory);
    EXPECT_NE(std::string(e.what()).find("/nowhere/at/all.csv"), std::string::npos) << e.what();
  }
}

TEST(logging_resource, memory_is_served_when_the_disk_is_full) {
  std::ifstream full("/dev/full");
  if (!full) GTEST_SKIP() << "there is no /dev/full";
  logging_resource log("/dev/full");
  void* const p = log.allocate(10, 8);
  log.flush();
  EXPECT_EQ(log.error(), ENOSPC);
  log.deallocate(p, 10, 8);
}

}  // namespace
