// Figures that the process's malloc tells, and the settings of mallard/malloc/malloc.h.
#include <errno.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <array>
#include <atomic>
#include <cctype>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "mallard/malloc/malloc.h"
#include "malloc/workload.hpp"
#include "support/footprint.hpp"
#include "support/instruction_count.hpp"
#include "support/threads.hpp"
#include "support/units.hpp"

namespace {

using mallard_test::kib;
using mallard_test::mib;

// A JSON value at the beginning of the text, which is taken off. Numbers are whole and not
// negative.
bool take_json(std::string_view& text) {
  const auto take = [&](char c) {
    if (text.empty() || text.front() != c) return false;
    text.remove_prefix(1);
    return true;
  };
  const auto take_string = [&] {
    if (!take('"')) return false;
    const std::size_t end = text.find('"');
    if (end == text.npos || end == 0) return false;
    text.remove_prefix(end + 1);
    return true;
  };
  for (const std::string_view word : {"true", "false"}) {
    if (!text.starts_with(word)) continue;
    text.remove_prefix(word.size());
    return true;
  }
  const bool is_object = take('{');
  if (is_object || take('[')) {
    const char end = is_object ? '}' : ']';
    if (take(end)) return true;
    do {
      if (is_object && !(take_string() && take(':'))) return false;
      if (!take_json(text)) return false;
    } while (take(','));
    return take(end);
  }
  std::size_t digits = 0;
  while (digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits]))) ++digits;
  text.remove_prefix(digits);
  return digits != 0;
}

// Elements are closed in the order in which they were opened, and attributes are quoted.
bool is_well_formed_xml(std::string_view text) {
  std::vector<std::string> open;
  while (!text.empty()) {
    if (text.front() != '<') {
      text.remove_prefix(1);
      continue;
    }
    const std::size_t end = text.find('>');
    if (end == text.npos) return false;
    std::string_view tag = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    std::size_t quotes = 0;
    for (const char c : tag) quotes += c == '"' ? 1 : 0;
    if (tag.empty() || quotes % 2 != 0 || tag.find('<') != tag.npos) return false;
    if (tag.front() == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.emplace_back(tag.substr(0, tag.find(' ')));
    }
  }
  return open.empty();
}

std::string stats_json() {
  std::string text(mallard_stats_json(nullptr, 0) + 4096, ' ');
  text.resize(mallard_stats_json(text.data(), text.size()));
  return text;
}

std::size_t number_after(const std::string& text, const std::string& name) {
  const std::size_t at = text.find("\"" + name + "\":");
  return at == text.npos ? ~std::size_t{0}
                         : std::strtoull(text.c_str() + at + name.size() + 3, nullptr, 10);
}

TEST(malloc_stats, mallinfo2_follows_what_is_allocated) {
  malloc_trim(0);  // what other tests' threads have sent back counts as in use until it is taken
  for (const std::size_t bytes : {100ul, 3'000ul, 60'000ul, 600'000ul}) {
    std::vector<void*> blocks(6 * mib / bytes);
    const struct mallinfo2 before = mallinfo2();
    for (void*& p : blocks) p = std::malloc(bytes);
    const struct mallinfo2 with = mallinfo2();
    EXPECT_GE(with.uordblks, before.uordblks + blocks.size() * bytes) << bytes;
    EXPECT_LE(with.uordblks, before.uordblks + 9 * mib) << bytes;
    EXPECT_GE(with.arena, with.uordblks);
    for (void* p : blocks) std::free(p);
    const struct mallinfo2 after = mallinfo2();
    EXPECT_LE(after.uordblks, before.uordblks + mib) << bytes;
  }
}

TEST(malloc_stats, mallinfo2_takes_as_long_however_much_there_is) {
  const auto instructions_beside = [](std::size_t bytes) {
    const auto allocate = [bytes] {
      for (std::size_t i = 0; i < bytes; i += 100) static_cast<void>(std::malloc(100));
    };
    return mallard_test::count_instructions(allocate, [] { static_cast<void>(mallinfo2()); });
  };
  constexpr int untraced = 77;
  // Heaps that other tests' threads have left take steps, too.
  const int code = malloc_test::in_fresh_process([&] {
    const auto little = instructions_beside(mib);
    const auto much = instructions_beside(32 * mib);
    if (!little || !much) _exit(untraced);
    EXPECT_LE(*much, *little + 1'000);
  });
  if (code == untraced) GTEST_SKIP() << "tracing is not allowed here";
  EXPECT_EQ(code, 0);
}

TEST(malloc_stats, mallinfo2_takes_nothing_for_in_use_that_idle_threads_have_freed) {
  constexpr unsigned count = 64;
  const struct mallinfo2 before = mallinfo2();
  std::atomic<unsigned> done{0};
  std::atomic<bool> ends{false};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i) {
    threads.emplace_back([&] {
      for (const std::size_t bytes : {40ul, 100ul, 500ul, 2'000ul, 10'000ul, 30'000ul}) {
        std::vector<void*> blocks(100);
        for (void*& p : blocks) p = std::malloc(bytes);
        for (void* p : blocks) std::free(p);
      }
      ++done;
      done.notify_one();
      ends.wait(false);
    });
  }
  for (unsigned n = done; n != count; n = done) done.wait(n);
  EXPECT_LE(mallinfo2().uordblks, before.uordblks + count * 4 * kib);
  ends = true;
  ends.notify_all();
  for (std::thread& t : threads) t.join();
}

TEST(malloc_stats, mallinfo2_counts_huge_blocks) {
  malloc_trim(0);
  const struct mallinfo2 before = mallinfo2();
  void* const p = std::malloc(100 * mib);
  EXPECT_EQ(mallinfo2().hblks, before.hblks + 1);
  EXPECT_GE(mallinfo2().hblkhd, before.hblkhd + 100 * mib);
  std::free(std::memset(p, 1, 100 * mib));
  EXPECT_EQ(mallinfo2().hblks, before.hblks);
  EXPECT_EQ(mallinfo2().hblkhd, before.hblkhd);
  EXPECT_GT(mallinfo2().fordblks, before.fordblks + 90 * mib);  // it is kept
  malloc_trim(0);
  EXPECT_LT(mallinfo2().fordblks, before.fordblks + 10 * mib);
}

TEST(malloc_stats, mallinfo_does_not_overflow) {
  void* const p = std::malloc(std::size_t{3} << 30);  // not touched
  ASSERT_NE(p, nullptr);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  EXPECT_EQ(mallinfo().hblkhd, INT_MAX);
#pragma GCC diagnostic pop
  std::free(p);
}

TEST(malloc_stats, malloc_info_is_well_formed_xml) {
  char* text = nullptr;
  std::size_t length = 0;
  std::FILE* const f = open_memstream(&text, &length);
  EXPECT_EQ(malloc_info(0, f), 0);
  std::fclose(f);
  const std::string xml(text, length);
  std::free(text);
  EXPECT_TRUE(xml.starts_with("<malloc version=\"1\">")) << xml;
  EXPECT_TRUE(is_well_formed_xml(xml)) << xml;
  errno = 0;
  EXPECT_EQ(malloc_info(1, stderr), -1);
  EXPECT_EQ(errno, EINVAL);
}

TEST(malloc_stats, the_json_is_json_and_counts_blocks) {
  void* const p = std::malloc(100 * mib);
  std::thread([] { std::free(std::malloc(100)); }).join();
  const std::string text = stats_json();
  std::string_view rest = text;
  EXPECT_TRUE(take_json(rest)) << text;
  EXPECT_EQ(rest, "") << text;
  EXPECT_GE(number_after(text, "in_use_bytes"), 100 * mib);
  EXPECT_NE(text.find("{\"idle\":true,"), text.npos) << text;  // the heap of the ended thread
  EXPECT_NE(text.find("{\"idle\":false,"), text.npos) << text;
  std::free(p);
}

TEST(malloc_stats, the_json_is_cut_off_at_the_end_of_the_buffer) {
  std::string small(50, '#');
  const std::size_t length = mallard_stats_json(small.data(), 20);
  EXPECT_GT(length, 100u);
  EXPECT_EQ(std::strlen(small.c_str()), 19u);
  EXPECT_EQ(small.substr(20), std::string(30, '#'));
}

TEST(malloc_stats, writing_the_json_does_not_allocate) {
  static char buffer[64 * kib];
  mallard_stats_json(buffer, sizeof buffer);
  const std::size_t before = number_after(buffer, "in_use_bytes");
  for (int i = 0; i < 100; ++i) mallard_stats_json(buffer, sizeof buffer);
  mallard_stats_json(buffer, sizeof buffer);
  EXPECT_EQ(std::string(buffer).find('#'), std::string::npos);
  // Less when a block of another thread's heap has come home meanwhile.
  EXPECT_LE(number_after(buffer, "in_use_bytes"), before);
}

std::string openmetrics() {
  std::string text(mallard_stats_openmetrics(nullptr, 0) + 4096, ' ');
  text.resize(mallard_stats_openmetrics(text.data(), text.size()));
  return text;
}

// As the format has it: each family is announced with its type before its first line, which has its
// name, maybe labels, and a number; and the last line ends the text.
TEST(malloc_stats, the_openmetrics_text_is_what_the_format_asks_for) {
  void* const p = std::malloc(100 * mib);
  std::array<void*, 10> blocks{};  // more than one: a sample of the profile is a large block
  for (void*& block : blocks) block = std::malloc(100);
  const std::string text = openmetrics();
  for (void* block : blocks) std::free(block);
  std::free(p);
  ASSERT_TRUE(text.ends_with("\n# EOF\n")) << text;
  static const std::regex comment("# (TYPE|UNIT|HELP) (mallard_malloc_[a-z_]+) (.+)");
  static const std::regex line(R"((mallard_malloc_[a-z_]+)(\{[a-z]+="[a-z0-9]+"\})? [0-9]+)");
  std::istringstream in(text);
  std::string family;
  std::set<std::string> families;
  std::set<std::string> lines;
  for (std::string one; std::getline(in, one) && one != "# EOF";) {
    std::smatch match;
    if (std::regex_match(one, match, comment)) {
      if (match[1] == "TYPE") {
        family = match[2];
        EXPECT_TRUE(families.insert(family).second) << one;
        EXPECT_EQ(match[3], "gauge");
      }
      const bool is_unit = match[1] == "UNIT";
      EXPECT_TRUE(!is_unit || family.ends_with("_" + match[3].str())) << one;
      EXPECT_EQ(match[2], family) << one;
    } else {
      ASSERT_TRUE(std::regex_match(one, match, line)) << one;
      EXPECT_EQ(match[1], family) << one;
      EXPECT_TRUE(lines.insert(one.substr(0, one.rfind(' '))).second) << one;
    }
  }
  const auto value_of = [&](const std::string& name) {
    const std::size_t at = text.find("\n" + name + " ");
    return at == text.npos ? 0 : std::strtoull(text.c_str() + at + name.size() + 2, nullptr, 10);
  };
  EXPECT_GE(value_of("mallard_malloc_in_use_bytes"), 100 * mib);
  EXPECT_GE(value_of("mallard_malloc_blocks{kind=\"huge\"}"), 1u);
  EXPECT_GE(value_of("mallard_malloc_class_taken{bytes=\"112\"}"), 1u) << text;
}

TEST(malloc_stats, what_scopes_have_at_hand_is_not_in_use) {
  mallard_heap* const heap = mallard_heap_create();
  const std::size_t before = mallard_unfreed_bytes();
  mallard_scope* const scope = mallard_scope_begin(heap);
  for (std::size_t bytes = 16; bytes <= 32 * kib; bytes *= 2) std::free(std::malloc(bytes));
  EXPECT_EQ(mallard_scope_end(scope), 0u);
  EXPECT_LE(mallard_unfreed_bytes(), before);
  mallard_heap_destroy(heap);
}

TEST(malloc_stats, figures_can_be_asked_for_while_threads_allocate) {
  const mallard_test::busy_threads busy(3, [] {
    std::array<void*, 300> blocks{};
    for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = std::malloc(i * 167 % 50'000);
    for (void* p : blocks) std::free(p);
  });
  for (int i = 0; i < 300; ++i) {
    const std::string text = stats_json();
    std::string_view rest = text;
    ASSERT_TRUE(take_json(rest)) << text;
  }
}

TEST(malloc_stats, mallopt_knows_the_parameters_of_glibc) {
  EXPECT_EQ(mallopt(M_MMAP_THRESHOLD, 1 << 20), 1);
  EXPECT_EQ(mallopt(M_TRIM_THRESHOLD, 8 << 20), 1);
  EXPECT_EQ(mallopt(-1000, 1), 0);
}

TEST(malloc_stats, malloc_trim_tells_whether_anything_was_free) {
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  std::free(std::memset(std::malloc(20 * mib), 1, 20 * mib));
  const std::size_t before = mallard_test::resident_bytes();
  EXPECT_EQ(malloc_trim(0), 1);
  EXPECT_LT(mallard_test::resident_bytes() + 19 * mib, before);
  mallopt(M_TRIM_THRESHOLD, 8 << 20);
}

TEST(malloc_stats, mallopt_says_how_much_may_stay_free) {
  for (const bool stays : {true, false}) {
    mallopt(M_TRIM_THRESHOLD, stays ? 64 << 20 : 0);
    void* const p = std::memset(std::malloc(40 * mib), 1, 40 * mib);
    const std::size_t with = mallard_test::resident_bytes();
    std::free(p);
    EXPECT_EQ(mallard_test::resident_bytes() + 39 * mib > with, stays);
    malloc_trim(0);
  }
  mallopt(M_TRIM_THRESHOLD, 8 << 20);
}

TEST(malloc_stats, malloc_info_and_mallinfo2_tell_the_same) {
  void* const p = std::malloc(30 * mib);
  char* text = nullptr;
  std::size_t length = 0;
  std::FILE* const f = open_memstream(&text, &length);
  malloc_info(0, f);
  std::fclose(f);
  const std::string xml(text, length);
  std::free(text);
  const struct mallinfo2 info = mallinfo2();
  const std::string wanted = "<total type=\"mmap\" count=\"" + std::to_string(info.hblks) +
                             "\" size=\"" + std::to_string(info.hblkhd) + "\"/>";
  EXPECT_NE(xml.find(wanted), xml.npos) << wanted << xml;
  std::free(p);
}

TEST(malloc_settings, beyond_the_limit_there_is_enomem) {
  mallard_trim();  // free memory does not count
  const struct mallinfo2 now = mallinfo2();
  mallard_set_limit_bytes(now.arena + now.hblkhd + 50 * mib);
  errno = 0;
  EXPECT_EQ(std::malloc(60 * mib), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  void* grown = std::malloc(20 * mib);
  EXPECT_NE(grown, nullptr);
  EXPECT_EQ(std::realloc(grown, 70 * mib), nullptr);
  std::vector<void*> blocks;
  blocks.reserve(200'000);
  while (blocks.size() < 200'000) {
    void* const p = std::malloc(1000);
    if (p == nullptr) break;
    blocks.push_back(p);
  }
  EXPECT_LT(blocks.size(), 100'000u);
  for (void* p : blocks) std::free(p);
  std::free(grown);
  mallard_set_limit_bytes(0);
  void* const p = std::malloc(200 * mib);
  EXPECT_NE(p, nullptr);
  std::free(p);
}

TEST(malloc_settings, without_idle_memory_what_is_freed_goes_back_at_once) {
  mallard_set_idle_bytes(0);
  std::vector<void*> blocks(20'000);
  for (void*& p : blocks) std::memset(p = std::malloc(1000), 1, 1000);
  for (void* p : blocks) std::free(p);
  mallard_trim();
  EXPECT_LT(number_after(stats_json(), "free_bytes"), mib);
  mallard_set_idle_bytes(8 * mib);
}

TEST(malloc_settings, as_much_as_one_likes_may_stay_idle) {
  mallard_set_idle_bytes(0);
  // That what went back was needed again is remembered, and adds to the limit.
  void* const stays = std::malloc(mib);
  for (int i = 0; i < 4; ++i) std::free(std::memset(std::malloc(mib), 1, mib));
  mallard_set_idle_bytes(SIZE_MAX);
  std::array<void*, 60> blocks{};
  for (void*& p : blocks) p = std::memset(std::malloc(mib), 1, mib);
  const std::size_t before = mallard_test::resident_bytes();
  for (std::size_t i = 0; i < blocks.size(); i += 2) std::free(blocks[i]);
  EXPECT_GT(mallard_test::resident_bytes() + 10 * mib, before);
  for (std::size_t i = 1; i < blocks.size(); i += 2) std::free(blocks[i]);
  std::free(stays);
  mallard_set_idle_bytes(8 * mib);
  mallard_trim();
}

}  // namespace
