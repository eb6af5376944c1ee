#include "mallard/memory/file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "mallard/detail/memory/segment_layout.hpp"
#include "mallard/detail/memory/type_mark.hpp"
#include "mallard/detail/os/pages.hpp"
#include "mallard/memory/offset_allocator.hpp"
#include "memory/expect_memory_error.hpp"
#include "support/expect_passed.hpp"
#include "support/forked.hpp"
#include "support/instrumented.hpp"
#include "support/read_file.hpp"
#include "support/require.hpp"
#include "support/scratch_path.hpp"
#include "support/units.hpp"

namespace {

using mallard::file_open;
using mallard::file_options;
using mallard::file_resource;
using mallard::file_view;
using mallard::memory_fault;
using mallard_test::expect_memory_error;
using mallard_test::require;

using mallard_test::mib;
using ints = std::vector<int, mallard::offset_allocator<int>>;

class file_test : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  const char* path() const { return path_.c_str(); }
  void expect_error(memory_fault fault, std::errc error, file_options options = {}) {
    const std::string text =
        expect_memory_error(fault, error, [&] { file_resource file(path(), options); });
    EXPECT_TRUE(text.starts_with("file_resource: ")) << text;
  }
  void write(std::size_t offset, const std::string& bytes) {
    const int file = ::open(path(), O_WRONLY);
    EXPECT_EQ(::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset)),
              static_cast<ssize_t>(bytes.size()));
    ::close(file);
  }
  void make(std::size_t limit_bytes = 4 * mib) {
    file_resource file(path(), {.limit_bytes = limit_bytes});
    file.make<ints>("ints", file)->assign(1000, 7);
  }

  // A place where writing to the device takes no time, if there is one.
  static std::filesystem::path test_path() {
    const std::filesystem::path usual = mallard::scratch_path("file");
    return std::filesystem::exists("/dev/shm") ? "/dev/shm" / usual.filename() : usual;
  }

  std::filesystem::path path_ = test_path();
};

TEST_F(file_test, what_lies_in_it_is_there_again) {
  {
    file_resource file(path());
    EXPECT_TRUE(file.is_new());
    ints* const numbers = file.make<ints>("numbers", file);
    for (int i = 0; i < 100'000; ++i) numbers->push_back(i);
  }
  for (int turn = 0; turn < 3; ++turn) {
    file_resource file(path());
    EXPECT_FALSE(file.is_new());
    EXPECT_FALSE(file.was_recovered());
    file.verify();
    ints* const numbers = file.find<ints>("numbers");
    ASSERT_NE(numbers, nullptr);
    ASSERT_EQ(numbers->size(), 100'000u + static_cast<std::size_t>(turn));
    for (int i = 0; i < 100'000; ++i) ASSERT_EQ((*numbers)[static_cast<std::size_t>(i)], i);
    numbers->push_back(turn);
  }
  file_resource file(path());
  EXPECT_TRUE(file.destroy<ints>("numbers"));
  EXPECT_FALSE(file.destroy<ints>("numbers"));
  EXPECT_EQ(file.find<ints>("numbers"), nullptr);
}

TEST_F(file_test, at_another_address_and_at_the_same) {
  void* const wanted = reinterpret_cast<void*>(std::uintptr_t{0x2f} << 40);
  {
    file_resource file(path(), {.limit_bytes = 4 * mib, .address = wanted});
    EXPECT_EQ(file.base(), wanted);
    file.make<ints>("ints", file)->assign(100, 7);
  }
  {
    file_resource file(path(), {.address = wanted});
    EXPECT_EQ(file.base(), wanted);
    ASSERT_EQ(file.find<ints>("ints")->at(99), 7);
  }
  void* const there = mallard::detail::os::map(4096, 4096, false);
  file_resource elsewhere(path());
  EXPECT_NE(elsewhere.base(), wanted);
  EXPECT_EQ(elsewhere.find<ints>("ints")->at(99), 7);
  mallard::detail::os::unmap(there, 4096);
}

TEST_F(file_test, an_address_that_is_taken_or_odd_is_an_error) {
  make();
  file_resource one(path());
  const std::string other = path_.string() + "2";
  expect_memory_error(memory_fault::refused, std::errc::file_exists,
                      [&] { file_resource two(other.c_str(), {.address = one.base()}); });
  expect_memory_error(memory_fault::bad_alignment, std::errc::invalid_argument, [&] {
    file_resource two(other.c_str(), {.address = static_cast<char*>(one.base()) + 4096});
  });
  // A file that could not be made is there as one that is to be made.
  EXPECT_EQ(std::filesystem::file_size(other), 0u);
  EXPECT_TRUE(file_resource(other.c_str()).is_new());
  std::filesystem::remove(other);
}

TEST_F(file_test, it_grows_as_it_is_needed_and_up_to_its_limit) {
  file_resource file(path(), {.limit_bytes = 8 * mib});
  EXPECT_LT(std::filesystem::file_size(path_), mib);
  std::vector<void*> blocks;
  while (void* const p = file.try_allocate(mib / 2)) {
    std::memset(p, 1, mib / 2);
    blocks.push_back(p);
  }
  EXPECT_EQ(blocks.size(), 15u);
  EXPECT_LE(std::filesystem::file_size(path_), 8 * mib);
  expect_memory_error(memory_fault::full, std::errc::not_enough_memory,
                      [&] { (void)file.allocate(mib); });
  for (void* const p : blocks) file.deallocate(p, mib / 2);
  EXPECT_LT(file.stats().in_use_bytes, mib);
}

TEST_F(file_test, slabs_that_the_last_user_left_serve_again) {
  std::size_t bytes = 0;
  for (int turn = 0; turn < 5; ++turn) {
    file_resource file(path());
    if (turn != 0) file.deallocate(file.root("kept"), 100), file.set_root("kept", nullptr);
    file.set_root("kept", file.allocate(100));
    if (turn == 1) bytes = file.stats().in_use_bytes;
    EXPECT_TRUE(turn <= 1 || file.stats().in_use_bytes == bytes);
  }
}

TEST_F(file_test, private_copies_change_nothing_but_themselves) {
  make();
  {
    file_resource one(path(), {.view = file_view::private_copy});
    file_resource two(path(), {.view = file_view::private_copy});
    EXPECT_TRUE(one.is_private_copy());
    one.find<ints>("ints")->assign(300'000, 1);
    EXPECT_EQ(one.find<ints>("ints")->size(), 300'000u);
    EXPECT_EQ(two.find<ints>("ints")->size(), 1000u);
    EXPECT_NE(one.try_allocate(2 * mib), nullptr);
    one.sync();
    expect_error(memory_fault::in_use, std::errc::resource_unavailable_try_again);
  }
  file_resource file(path());
  EXPECT_EQ(file.find<ints>("ints")->size(), 1000u);
  expect_error(memory_fault::in_use, std::errc::resource_unavailable_try_again,
               {.view = file_view::private_copy});
  expect_error(memory_fault::in_use, std::errc::resource_unavailable_try_again);
}

TEST_F(file_test, a_user_that_ended_without_closing_it_is_an_error_or_recovered) {
  make();
  const auto killed = mallard_test::run_forked([&] {
    file_resource file(path());
    file.find<ints>("ints")->assign(50'000, 8);
    (void)file.allocate(100);
    kill(getpid(), SIGKILL);
  });
  EXPECT_FALSE(killed.passed);
  expect_error(memory_fault::not_closed, std::errc::invalid_argument);
  expect_error(memory_fault::not_closed, std::errc::invalid_argument,
               {.view = file_view::private_copy});
  {
    file_resource file(path(), {.recover = true});
    EXPECT_TRUE(file.was_recovered());
    file.verify();
    EXPECT_EQ(file.find<ints>("ints")->at(49'999), 8);
    void* const p = file.allocate(100);
    file.deallocate(p, 100);
  }
  EXPECT_FALSE(file_resource(path()).was_recovered());
}

TEST_F(file_test, one_whose_maker_ended_before_it_was_made_is_one_that_is_to_be_made) {
  make();
  write(sizeof(mallard::detail::segment_shape), std::string(4, '\0'));  // not ready
  expect_error(memory_fault::not_closed, std::errc::invalid_argument,
               {.open = file_open::open_existing, .recover = true});
  expect_error(memory_fault::not_closed, std::errc::invalid_argument,
               {.view = file_view::private_copy});
  expect_error(memory_fault::exists, std::errc::file_exists, {.open = file_open::create_new});
  file_resource file(path(), {.limit_bytes = mib});
  EXPECT_TRUE(file.is_new());
  EXPECT_EQ(file.find<ints>("ints"), nullptr);
  EXPECT_EQ(file.stats().limit_bytes, mib);
  file.verify();
}

TEST_F(file_test, options_that_cannot_be_make_no_file) {
  expect_error(memory_fault::bad_limit, std::errc::invalid_argument, {.limit_bytes = 0});
  EXPECT_FALSE(std::filesystem::exists(path_));
  void* const odd = reinterpret_cast<void*>(5);
  for (const file_open how : {file_open::create_new, file_open::open_or_create}) {
    expect_error(memory_fault::bad_alignment, std::errc::invalid_argument,
                 {.open = how, .address = odd});
    EXPECT_FALSE(std::filesystem::exists(path_));
  }
  // A limit is of files that are made.
  make();
  EXPECT_EQ(file_resource(path(), {.limit_bytes = 0}).stats().limit_bytes, 4 * mib);
}

TEST_F(file_test, what_is_no_file_of_this_library_is_named) {
  std::ofstream(path_) << "short";
  expect_error(memory_fault::wrong_file, std::errc::invalid_argument);
  std::ofstream(path_) << std::string(1 << 20, 'x');
  expect_error(memory_fault::wrong_file, std::errc::invalid_argument);
  std::ofstream(path_, std::ios::trunc).close();
  expect_error(memory_fault::cut, std::errc::invalid_argument, {.open = file_open::open_existing});
  EXPECT_TRUE(file_resource(path()).is_new());
}

TEST_F(file_test, another_version_is_named) {
  make();
  write(8, std::string("\x63\0\0\0", 4));
  expect_error(memory_fault::wrong_version, std::errc::invalid_argument);
}

TEST_F(file_test, a_file_that_was_cut_is_named_whatever_is_left) {
  make();
  const std::size_t whole = std::filesystem::file_size(path_);
  for (const std::size_t left : {whole - 1, whole - 4096, std::size_t{8192}, std::size_t{200}}) {
    std::filesystem::resize_file(path_, left);
    expect_error(memory_fault::cut, std::errc::invalid_argument);
  }
  for (const std::size_t left : {40u, 1u}) {
    std::filesystem::resize_file(path_, left);
    expect_error(memory_fault::wrong_file, std::errc::invalid_argument);
  }
}

// Else more memory, once it is there, would be taken for a slab; or the file's end is looked
// behind.
TEST_F(file_test, a_slab_where_there_is_no_memory_is_damage) {
  make();
  std::size_t map = 0, map_bytes = 0, used_bytes = 0;
  {
    const file_resource file(path());
    const auto& shape = *static_cast<const mallard::detail::segment_shape*>(file.base());
    map = shape.slab_map;
    map_bytes = shape.limit_units / 8;
    used_bytes = std::filesystem::file_size(path_) / mallard::detail::unit_bytes / 8 + 1;
  }
  ASSERT_LT(used_bytes, map_bytes);
  for (std::size_t at = used_bytes; at < map_bytes; ++at) {
    write(map + at, "\x3f");
    expect_error(memory_fault::damaged, std::errc::invalid_argument);
    write(map + at, std::string(1, '\0'));
  }
  file_resource(path()).verify();
}

TEST_F(file_test, an_alignment_that_is_no_power_of_two_is_an_error_for_each_block) {
  file_resource file(path(), {.limit_bytes = mib});
  for (int i = 0; i < 3; ++i) {
    file.allocate(10, 8);
    expect_memory_error(memory_fault::bad_alignment, std::errc::invalid_argument,
                        [&] { file.allocate(10, 3); });
  }
}

// Wherever a bit is turned: an error with a name, or a file that can be used.
TEST_F(file_test, no_turned_bit_leads_to_undefined_behaviour) {
  make(mib);
  const std::string good = mallard_test::read_file(path_);
  const auto use = [&] {
    try {
      file_resource file(path(), {.recover = true});
      std::vector<std::pair<void*, std::size_t>> blocks;
      for (std::size_t bytes = 16; bytes < 40'000; bytes += bytes / 4) {
        void* const p = file.try_allocate(bytes);
        if (p == nullptr) continue;
        std::memset(p, 1, bytes);
        blocks.emplace_back(p, bytes);
      }
      for (const auto& [p, bytes] : blocks) file.deallocate(p, bytes);
      (void)file.root("ints");
      file.trim();
      return true;
    } catch (const mallard::memory_error& e) {
      EXPECT_NE(e.fault(), memory_fault::refused) << e.what();
      return false;
    }
  };
  std::mt19937 random(3);
  int refused = 0;
  const int turns = mallard_test::instrumented ? 150 : 600;
  for (int turn = 0; turn < turns; ++turn) {
    std::string bad = good;
    // All of the shape and counts; then anywhere in the header, the bitmaps, the first slabs.
    const std::size_t at = turn < 90 ? static_cast<std::size_t>(turn) : random() % (64 * 1024);
    bad[at % bad.size()] = static_cast<char>(bad[at % bad.size()] ^ (1 << random() % 8));
    std::ofstream(path_, std::ios::binary) << bad;
    refused += !use();
  }
  EXPECT_GT(refused, 50);
}

TEST_F(file_test, paths_that_cannot_be_opened_have_the_system_s_word) {
  const auto expect = [](const char* at, memory_fault fault, std::errc error,
                         file_options options = {}) {
    expect_memory_error(fault, error, [&] { file_resource file(at, options); });
  };
  expect("/nowhere/at/all", memory_fault::refused, std::errc::no_such_file_or_directory);
  expect(path(), memory_fault::refused, std::errc::no_such_file_or_directory,
         {.open = file_open::open_existing});
  expect(path(), memory_fault::refused, std::errc::no_such_file_or_directory,
         {.view = file_view::private_copy});
  expect("/tmp", memory_fault::refused, std::errc::is_a_directory);
  expect("/dev/null", memory_fault::not_memory, std::errc::no_such_device);
  expect("/dev/null", memory_fault::not_memory, std::errc::no_such_device,
         {.view = file_view::private_copy});
  expect("", memory_fault::bad_name, std::errc::invalid_argument);
  expect(nullptr, memory_fault::bad_name, std::errc::invalid_argument);
  expect(std::string(5000, 'x').c_str(), memory_fault::refused, std::errc::filename_too_long);
  make();
  expect(path(), memory_fault::exists, std::errc::file_exists, {.open = file_open::create_new});
}

TEST_F(file_test, limits_of_0_and_bad_requests_throw) {
  for (const std::size_t limit : {std::size_t{0}, std::size_t{4096}, SIZE_MAX, SIZE_MAX / 4}) {
    expect_error(memory_fault::bad_limit, std::errc::invalid_argument, {.limit_bytes = limit});
  }
  file_resource file(path(), {.limit_bytes = 4 * mib});
  mallard_test::expect_bad_requests_to_throw(file);
}

enum class colour : std::int64_t { red };
struct point {
  long x;
};
struct angle {
  long x;
};

// Makes one of each, and looks for it as the other.
template <class Made, class Other>
void expect_other_type(file_resource& file) {
  file.make<Made>("root");
  EXPECT_NE(file.find<Made>("root"), nullptr);
  const std::string why = expect_memory_error(memory_fault::wrong_type, std::errc::invalid_argument,
                                              [&] { file.find<Other>("root"); });
  if (sizeof(Made) == sizeof(Other) && alignof(Made) == alignof(Other)) {
    EXPECT_NE(why.find("of the same size"), std::string::npos) << why;
  }
  expect_memory_error(memory_fault::wrong_type, std::errc::invalid_argument,
                      [&] { file.find_or_make<Other>("root"); });
  file.destroy<Made>("root");
}

TEST_F(file_test, a_root_is_not_found_as_another_type_of_its_size) {
  file_resource file(path(), {.limit_bytes = 4 * mib});
  expect_other_type<long, double>(file);
  expect_other_type<double, unsigned long>(file);
  expect_other_type<long, unsigned long>(file);
  expect_other_type<char, bool>(file);
  expect_other_type<long, colour>(file);
  expect_other_type<point, angle>(file);
  expect_other_type<point, long>(file);
  expect_other_type<std::atomic<long>, std::atomic<double>>(file);
  expect_other_type<std::array<int, 4>, std::array<float, 4>>(file);
  expect_other_type<std::array<int, 2>, long>(file);
  file.make<long>("number");
  EXPECT_NE(file.find<long long>("number"), nullptr);  // also by another name
  EXPECT_NE(file.find<const std::int64_t>("number"), nullptr);
}

// Names that gcc and clang write of the same types, and the part of them that counts.
TEST(type_mark, is_the_same_whatever_compiler_names_the_type) {
  using mallard::detail::last_name;
  EXPECT_EQ(last_name("{anonymous}::point"), "point");
  EXPECT_EQ(last_name("(anonymous namespace)::point"), "point");
  EXPECT_EQ(last_name("point"), "point");
  EXPECT_EQ(last_name("a::b::point<c::d<long int>, 3>"), "point");
  EXPECT_EQ(last_name("f(int) [with T = a::b]::point"), "point");
  EXPECT_EQ(last_name("a::outer<b::c>::inner"), "inner");
  // Known once, kept in files for ever.
  EXPECT_EQ(mallard::detail::type_mark<point>(), 0x18077f61af5094afu);
  EXPECT_EQ((mallard::detail::type_mark<std::array<std::atomic<colour>, 3>>()), 0x91cb77fbcfc8d0du);
}

TEST_F(file_test, roots_have_names_of_a_certain_length_and_one_type) {
  file_resource file(path(), {.limit_bytes = 4 * mib});
  const std::string longest(47, 'n');
  EXPECT_EQ(*file.make<long>(longest.c_str(), 5L), 5);
  EXPECT_EQ(*file.find_or_make<long>(longest.c_str(), 6L), 5);
  file.find_or_make<ints>("numbers", file)->push_back(1);
  EXPECT_EQ(file.find_or_make<ints>("numbers", file)->size(), 1u);
  file.destroy<ints>("numbers");
  for (const char* name : {"", static_cast<const char*>(nullptr)}) {
    expect_memory_error(memory_fault::bad_name, std::errc::invalid_argument,
                        [&] { file.make<long>(name); });
  }
  expect_memory_error(memory_fault::bad_name, std::errc::invalid_argument,
                      [&] { file.find<long>((longest + "n").c_str()); });
  expect_memory_error(memory_fault::exists, std::errc::file_exists,
                      [&] { file.make<long>(longest.c_str()); });
  expect_memory_error(memory_fault::wrong_type, std::errc::invalid_argument,
                      [&] { file.find<char>(longest.c_str()); });
  expect_memory_error(memory_fault::wrong_type, std::errc::invalid_argument,
                      [&] { file.find_or_make<char>(longest.c_str()); });
  int elsewhere = 0;
  expect_memory_error(memory_fault::not_memory, std::errc::bad_address,
                      [&] { file.set_root("r", &elsewhere); });
  expect_memory_error(memory_fault::not_memory, std::errc::bad_address,
                      [&] { file.set_root("r", file.base()); });
  const std::size_t before = file.stats().in_use_bytes;
  std::size_t made = 1;
  try {
    for (;; ++made) file.make<long>(std::to_string(made).c_str());
  } catch (const mallard::memory_error& e) {
    EXPECT_EQ(e.fault(), memory_fault::full);
    EXPECT_EQ(e.code(), std::errc::no_space_on_device);
  }
  EXPECT_EQ(made, file_resource::largest_root_count);
  // A block that could not be named is not lost.
  EXPECT_EQ(file.stats().in_use_bytes, before + (made - 1) * 16);
}

TEST_F(file_test, a_constructor_that_throws_leaves_nothing) {
  struct throwing {
    throwing() { throw 5; }
    char bytes[5000];
  };
  file_resource file(path(), {.limit_bytes = 4 * mib});
  const std::size_t before = file.stats().in_use_bytes;
  EXPECT_THROW(file.make<throwing>("t"), int);
  EXPECT_EQ(file.find<throwing>("t"), nullptr);
  EXPECT_EQ(file.stats().in_use_bytes, before);
}

TEST_F(file_test, in_the_child_of_a_fork_it_gives_no_memory) {
  file_resource file(path(), {.limit_bytes = 4 * mib});
  void* const p = file.allocate(100);
  mallard_test::expect_passed([&] {
    try {
      (void)file.allocate(100);
    } catch (const mallard::memory_error& e) {
      require(e.fault() == memory_fault::in_use, e.what());
      file.deallocate(p, 100);
      return;
    }
    mallard_test::fail("two users of one file");
  });
  void* const q = file.allocate(100);
  EXPECT_NE(q, p);
  file.verify();
}

TEST_F(file_test, a_limit_of_file_sizes_is_an_error_and_no_signal) {
  mallard_test::expect_passed([&] {
    const rlimit small{2 * mib, 2 * mib};
    setrlimit(RLIMIT_FSIZE, &small);
    file_resource file(path(), {.limit_bytes = 16 * mib});
    std::vector<void*> blocks;
    try {
      for (;;) blocks.push_back(file.allocate(100'000));
    } catch (const mallard::memory_error& e) {
      require(e.fault() == memory_fault::refused, e.what());
      require(e.code() == std::errc::file_too_large, e.what());
    }
    require(blocks.size() > 10, "only ", blocks.size());
    for (void* const p : blocks) std::memset(p, 1, 100'000);
    for (void* const p : blocks) file.deallocate(p, 100'000);
    file.verify();
  });
}

// Without a mount of its own it cannot be tried; the refused calls are tried elsewhere.
TEST_F(file_test, a_full_file_system_is_an_error_and_no_signal) {
  std::filesystem::create_directory(path_);
  mallard_test::expect_passed([&] {
    if (unshare(CLONE_NEWNS) != 0) return;
    if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return;
    if (mount("tmpfs", path(), "tmpfs", 0, "size=1m") != 0) return;
    const std::string at = path_.string() + "/file";
    file_resource file(at.c_str(), {.limit_bytes = 16 * mib});
    std::vector<void*> blocks;
    try {
      for (;;) blocks.push_back(file.allocate(1000));
    } catch (const mallard::memory_error& e) {
      require(e.code() == std::errc::no_space_on_device, e.what());
    }
    require(blocks.size() > 500, "only ", blocks.size());
    for (void* const p : blocks) std::memset(p, 1, 1000);
    file.deallocate(blocks.back(), 1000);
    require(file.allocate(1000) == blocks.back(), "it does not go on");
    const std::string another = path_.string() + "/another";
    try {
      file_resource none(another.c_str(), {.limit_bytes = 16 * mib});
      (void)none.allocate(1 << 20);
    } catch (const mallard::memory_error& e) {
      require(e.code() == std::errc::no_space_on_device, e.what());
    }
  });
}

TEST_F(file_test, pools_of_this_process_live_in_it_and_give_all_back) {
  file_resource file(path());
  const std::size_t before = mallard_test::use_pool_in(file);
  EXPECT_LT(file.stats().in_use_bytes, before / 4);
}

using file_death_test = file_test;

// As the documentation says: nothing can prevent it.
TEST_F(file_death_test, a_touch_of_what_was_cut_off_is_sigbus) {
  make();
  EXPECT_EXIT(
      {
        signal(SIGBUS, SIG_DFL);
        file_resource file(path());
        auto* const p = static_cast<volatile char*>(file.allocate(mib));
        std::filesystem::resize_file(path_, 8192);
        p[mib - 1] = 1;
      },
      testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
