#include "profile/trace/trace_reader.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "profile/functions.hpp"
#include "profile/trace/copy_trace.hpp"
#include "profile/trace/event_batches.hpp"
#include "profile/trace/lacks.hpp"
#include "profile/trace_script.hpp"
#include "support/read_file.hpp"

namespace mallard::profile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

std::vector<recorded> all_of(trace_reader& trace, const selection& part = {}) {
  std::vector<recorded> out;
  auto events = trace.events(part);
  for (recorded one; events.next(one);) out.push_back(one);
  return out;
}

// Three threads, events of all kinds, a few chunks each.
void write_trace(const std::string& path) {
  trace_writer writer(path, trace_script::default_process());
  std::mt19937 random(3);
  for (std::uint32_t thread = 0; thread < 3; ++thread) {
    writer.thread({.id = thread, .tid = 100 + thread, .name = "t" + std::to_string(thread)});
  }
  std::uint64_t time = 0;
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t thread = 0; thread < 3; ++thread) {
      for (int i = 0; i < 10; ++i) {
        const std::vector<frame> frames = {{random() % 5, 64}, {7, 128}};
        event one;
        one.time = time += random() % 5;
        one.address = 0x1000 + 16 * (random() % 100);
        one.size = random() % 200;
        one.stack = writer.stack(frames);
        one.kind = i % 2 ? event_kind::free : event_kind::allocate;
        writer.events(thread, {&one, 1});
      }
      const cpu_sample sample{time, 1};
      writer.cpu_samples(thread, {&sample, 1});
    }
    writer.flush();
  }
  writer.end({time, end_kind::exited, 3});
  ASSERT_TRUE(writer.finish());
  EXPECT_EQ(writer.event_count(), 60u);
}

TEST(trace_reader, merges_threads_by_time) {
  const scratch_file file;
  trace_writer writer(file.path(), {});
  const auto put = [&](std::uint32_t thread, std::uint64_t time) {
    const event one{.time = time, .address = thread};
    writer.events(thread, {&one, 1});
  };
  for (const std::uint64_t time : {1u, 5u, 6u, 20u}) put(2, time);
  for (const std::uint64_t time : {2u, 5u, 19u}) put(0, time);
  writer.flush();
  for (const std::uint64_t time : {30u, 40u}) put(0, time);
  put(7, 35);
  ASSERT_TRUE(writer.finish());
  trace_reader trace(file.path());
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
  for (const recorded& one : all_of(trace)) order.emplace_back(one.what.time, one.thread);
  using at = std::pair<std::uint64_t, std::uint32_t>;
  EXPECT_THAT(order, ElementsAre(at(1, 2), at(2, 0), at(5, 0), at(5, 2), at(6, 2), at(19, 0),
                                 at(20, 2), at(30, 0), at(35, 7), at(40, 0)));
  EXPECT_EQ(trace.event_count(), 10u);
}

TEST(trace_reader, says_what_the_process_was) {
  const scratch_file file;
  write_trace(file.path());
  trace_reader trace(file.path());
  EXPECT_TRUE(trace.is_whole());
  EXPECT_THAT(trace.problems(), IsEmpty());
  EXPECT_THAT(trace.facts().process.command, ElementsAre("program"));
  EXPECT_EQ(trace.facts().threads.at(1).name, "t1");
  EXPECT_EQ(trace.facts().end.status, 3u);
  EXPECT_EQ(trace.sample_count(), 6u);
  EXPECT_EQ(all_of(trace).size(), 66u);
}

TEST(trace_reader, takes_a_range_of_time_or_threads) {
  const scratch_file file;
  write_trace(file.path());
  trace_reader trace(file.path());
  const auto everything = all_of(trace);
  selection part;
  part.from = 40;
  part.until = 80;
  part.threads = {{0, 2}};
  std::size_t expected = 0;
  for (const recorded& one : everything) {
    expected += one.what.time >= part.from && one.what.time < part.until && one.thread != 1;
  }
  const auto some = all_of(trace, part);
  EXPECT_EQ(some.size(), expected);
  EXPECT_GT(expected, 0u);
}

TEST(trace_reader, cut_at_every_byte_it_gives_what_is_there_and_says_what_is_not) {
  const scratch_file file("whole"), cut("cut");
  write_trace(file.path());
  const std::string bytes = mallard_test::read_file(file.path());
  trace_reader whole(file.path());
  const auto everything = all_of(whole);
  std::size_t most = 0;
  const std::size_t second_chunk = bytes.find("MLCH", trace_header_bytes + 1);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    write_bytes(cut.path(), bytes.substr(0, length));
    if (length < second_chunk) {
      EXPECT_THROW(trace_reader(cut.path()), std::runtime_error) << length;
      continue;
    }
    trace_reader trace(cut.path());
    const auto some = all_of(trace);
    EXPECT_FALSE(trace.is_whole()) << length;
    ASSERT_FALSE(trace.problems().empty()) << length;
    for (const std::string& line : trace.problems()) EXPECT_EQ(line.find('\n'), line.npos);
    // Each is one that was recorded, and none is lost that was there before.
    EXPECT_GE(some.size(), most) << length;
    most = std::max(most, some.size());
    EXPECT_LE(some.size(), everything.size());
  }
  EXPECT_EQ(most, everything.size());
}

TEST(trace_reader, a_damaged_byte_loses_a_chunk_at_most) {
  const scratch_file file("whole"), bad("bad");
  write_trace(file.path());
  const std::string bytes = mallard_test::read_file(file.path());
  trace_reader whole(file.path());
  const std::size_t everything = all_of(whole).size();
  std::size_t worst = everything;
  for (std::size_t at = trace_header_bytes; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    write_bytes(bad.path(), changed);
    trace_reader trace(bad.path());
    worst = std::min(worst, all_of(trace).size());
    EXPECT_FALSE(trace.problems().empty()) << at;
  }
  EXPECT_GE(worst, everything - 11);
}

TEST(trace_reader, reading_ends_when_it_is_interrupted) {
  const scratch_file file;
  write_trace(file.path());
  trace_reader trace(file.path());
  static bool interrupted = false;
  trace.interrupted_by([] { return interrupted; });
  event_batches batches(trace.events());
  interrupted = true;
  EXPECT_THROW(batches.next(), reading_interrupted);
  EXPECT_THROW(all_of(trace), reading_interrupted);
  EXPECT_TRUE(trace.is_whole());
}

TEST(trace_reader, other_files_are_refused_in_one_line) {
  const scratch_file file;
  const auto message = [&] {
    try {
      trace_reader trace(file.path());
    } catch (const std::runtime_error& problem) {
      return std::string(problem.what());
    }
    return std::string("no exception");
  };
  EXPECT_THAT(message(), HasSubstr("No such file"));
  write_bytes(file.path(), "{\"this\": \"is JSON, and long enough to be a header\"}");
  EXPECT_THAT(message(), HasSubstr("not a trace"));
  std::string of_version_99(trace_magic);
  of_version_99.append("\x63\0\0\0\0\0\0\0", 8);
  write_bytes(file.path(), of_version_99);
  EXPECT_THAT(message(), HasSubstr("version 99"));
  EXPECT_THROW(trace_reader("/"), std::runtime_error);
}

TEST(copy_trace, a_part_is_a_trace_of_its_own) {
  const scratch_file file("whole"), copy("part");
  write_trace(file.path());
  trace_reader trace(file.path());
  selection part;
  part.from = 30;
  part.until = 100;
  part.threads = {{1, 2}};
  const auto expected = all_of(trace, part);
  copy_trace(trace, part, copy.path());
  trace_reader cut(copy.path());
  EXPECT_TRUE(cut.is_whole());
  const auto events = all_of(cut);
  ASSERT_EQ(events.size(), expected.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].what.time, expected[i].what.time);
    EXPECT_EQ(events[i].what.address, expected[i].what.address);
    EXPECT_EQ(cut.stacks()[events[i].what.stack].ip, trace.stacks()[expected[i].what.stack].ip);
  }
  EXPECT_EQ(cut.facts().threads.size(), 2u);
  EXPECT_EQ(trace.first_time(), 0u);
  EXPECT_EQ(cut.first_time(), part.from);
  EXPECT_THAT(cut.facts().process.not_recorded,
              testing::IsSupersetOf({"the start", "the end", "the other threads"}));
  // It does not see the process end.
  EXPECT_EQ(cut.facts().end, (end_info{part.until, end_kind::went_on, 0}));
  part.until = UINT64_MAX;
  copy_trace(trace, part, copy.path());
  trace_reader rest(copy.path());
  EXPECT_EQ(rest.facts().end, trace.facts().end);
  EXPECT_FALSE(lacks(rest.facts().process, the_end));
}

TEST(trace_reader, of_two_traces_in_one_file_the_first_is_read_and_is_not_whole) {
  const scratch_file file("two");
  write_trace(file.path());
  const std::string bytes = mallard_test::read_file(file.path());
  trace_reader first(file.path());
  const std::size_t events = all_of(first).size();
  write_bytes(file.path(), bytes + bytes);
  trace_reader trace(file.path());
  EXPECT_FALSE(trace.is_whole());
  EXPECT_EQ(all_of(trace).size(), events);
  EXPECT_THAT(trace.problems(), testing::Contains(testing::HasSubstr(
                                    "another trace begins at " + std::to_string(bytes.size()))));
}

TEST(copy_trace, of_a_trace_that_is_not_whole_is_not_whole) {
  const scratch_file file("whole"), copy("copy"), again("again");
  write_trace(file.path());
  const std::string bytes = mallard_test::read_file(file.path());
  std::string damaged = bytes;
  damaged[bytes.find("MLCH", bytes.size() / 2) + 50] ^= 0x55;
  for (const std::string& one : {bytes.substr(0, bytes.size() / 2), damaged}) {
    write_bytes(file.path(), one);
    trace_reader trace(file.path());
    copy_trace(trace, {}, copy.path());
    trace_reader part(copy.path());
    EXPECT_EQ(all_of(part).size(), all_of(trace).size());
    EXPECT_FALSE(part.is_whole());
    copy_trace(part, {}, again.path());
    EXPECT_FALSE(trace_reader(again.path()).is_whole());
  }
}

TEST(copy_trace, addresses_of_unloaded_modules_mean_what_they_did) {
  const scratch_file file("whole"), copy("part");
  trace_writer writer(file.path(), {});
  writer.module({.path = "a.so", .load_bias = 0x1000, .segments = {{0, 0x1000}}});
  const std::uint32_t first = writer.stack(0, {0x1010, 0});
  writer.unmodule(5, 0x1000);
  writer.module({.path = "b.so", .load_bias = 0x1000, .segments = {{0, 0x1000}}});
  const std::uint32_t second = writer.stack(0, {0x1010, 0});
  ASSERT_TRUE(writer.finish());
  trace_reader trace(file.path());
  copy_trace(trace, {}, copy.path());
  trace_reader again(copy.path());
  EXPECT_EQ(again.facts().modules, trace.facts().modules);
  EXPECT_EQ(module_at(again.facts().modules, 0x1010, first), 0u);
  EXPECT_EQ(module_at(again.facts().modules, 0x1010, second), 1u);
}

TEST(function_table, a_function_of_a_module_that_was_loaded_again_is_the_same) {
  const scratch_file file;
  trace_writer writer(file.path(), {});
  const auto load = [&](const char* path, std::uint64_t at) {
    writer.module({.path = path, .load_bias = at, .segments = {{0, 0x1000}}});
    const std::uint32_t stack = writer.stack(0, {at + 0x10, 0});
    writer.unmodule(5, at);
    return stack;
  };
  const std::uint32_t first = load("a.so", 0x1000);
  const std::uint32_t other = load("b.so", 0x1000);
  const std::uint32_t again = load("a.so", 0x3000);
  ASSERT_TRUE(writer.finish());
  const trace_reader trace(file.path());
  const function_table functions(trace);
  EXPECT_EQ(functions.of(first), functions.of(again));
  EXPECT_NE(functions.of(first), functions.of(other));
}

TEST(trace_writer, an_unfinished_file_has_what_was_flushed) {
  const scratch_file file;
  auto writer = std::make_unique<trace_writer>(file.path(), process_info{});
  event one{.time = 5, .address = 16};
  writer->events(0, {&one, 1});
  writer->flush();
  one.time = 6;
  writer->events(0, {&one, 1});
  writer.reset();  // without finish(), as when it is killed
  trace_reader trace(file.path());
  EXPECT_FALSE(trace.is_whole());
  EXPECT_EQ(all_of(trace).size(), 1u);
}

TEST(trace_writer, a_full_disk_is_said_and_not_thrown) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
  trace_writer writer("/dev/full", {});
  EXPECT_THAT(writer.error(), HasSubstr("No space left"));
  const event one{.time = 5, .address = 16};
  writer.events(0, {&one, 1});
  EXPECT_FALSE(writer.finish());
}

TEST(trace_writer, a_place_that_cannot_be_written_is_refused) {
  EXPECT_THROW(trace_writer("/nowhere/at/all", {}), std::system_error);
}

TEST(trace_writer, a_file_that_another_writes_is_refused_and_stays_whole) {
  const scratch_file file;
  const std::string& path = file.path();
  {
    trace_writer writer(path, {});
    try {
      trace_writer second(path, {});
      ADD_FAILURE() << "two write to one file";
    } catch (const std::system_error& refused) {
      EXPECT_THAT(refused.what(), HasSubstr("another recording writes to it"));
    }
    EXPECT_TRUE(writer.finish());
  }
  EXPECT_TRUE(trace_reader(path).is_whole());
  EXPECT_TRUE(trace_writer(path, {}).finish());  // it is free again
}

}  // namespace
}  // namespace mallard::profile
