#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "mallard/checks/logging_resource.hpp"
#include "profile/export/stack_formats.hpp"
#include "profile/import/call_log.hpp"
#include "profile/import/dhat.hpp"
#include "profile/import/heaptrack.hpp"
#include "profile/import/open_trace.hpp"
#include "profile/import/pprof.hpp"
#include "profile/import/summed_dims.hpp"
#include "profile/trace/trace_reader.hpp"
#include "support/message_of.hpp"
#include "support/scratch_path.hpp"

namespace mallard::profile {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class import_test : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  std::string trace() const { return (folder_ / "trace.mallard").string(); }
  std::vector<event> events_of(const std::string& path) const {
    trace_reader reader(path);
    std::vector<event> all;
    event_stream stream = reader.events();
    for (recorded one; stream.next(one);) all.push_back(one.what);
    return all;
  }
  std::string said_by(const std::string& from) const {
    return mallard_test::message_of([&] { import_heaptrack(from, trace()); });
  }

  const scratch_folder folder_;
};

// main at a.cpp:7 calls make, inlined into it at a.cpp:9; two blocks of 0x20 bytes, one freed.
const std::string heaptrack_text =
    "v 10400 3\nX prog --fast\nI 1000 5e29\n"
    "s 4 prog\ns 4 main\ns 5 a.cpp\ns 4 make\n"
    "i 401000 1 4 3 9 2 3 7\nt 1 0\na 20 1\n"
    "+ 0\nc a\n+ 0\n- 0\nR 10\n";

std::string gzipped(const std::string& text) {
  std::string out(text.size() + 200, '\0');
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd_of(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

TEST_F(import_test, heaptracks_operations_become_events) {
  EXPECT_EQ(import_heaptrack(write("h", heaptrack_text), trace()).events, 3u);
  const std::vector<event> events = events_of(trace());
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].size, 0x20u);
  EXPECT_EQ(events[2].kind, event_kind::free);
  EXPECT_EQ(events[2].address, events[1].address);  // of two alike the last one
  EXPECT_NE(events[0].address, events[1].address);
  EXPECT_LT(events[0].time, events[1].time);
  EXPECT_GE(events[1].time, 10'000'000u);
}

TEST_F(import_test, heaptracks_names_are_those_of_the_trace) {
  import_heaptrack(write("h", heaptrack_text), trace());
  const trace_reader reader(trace());
  EXPECT_EQ(reader.facts().process.command, std::vector<std::string>{"prog --fast"});
  EXPECT_THAT(reader.facts().process.not_recorded, testing::Contains("threads"));
  ASSERT_EQ(reader.stacks().size(), 2u);
  const symbol_table& symbols = reader.symbols();
  const symbol& found = symbols.of.at({0, reader.stacks()[1].ip});
  ASSERT_EQ(found.lines.size(), 2u);
  EXPECT_EQ(symbols.strings[found.lines[0].function], "make");
  EXPECT_EQ(symbols.strings[found.lines[1].function], "main");
  EXPECT_EQ(found.lines[1].line, 7u);
}

TEST_F(import_test, compressed_files_are_read_alike) {
  EXPECT_EQ(import_heaptrack(write("h.gz", gzipped(heaptrack_text)), trace()).events, 3u);
  EXPECT_EQ(import_heaptrack(write("h.zst", zstd_of(heaptrack_text)), trace()).events, 3u);
}

TEST_F(import_test, a_truncated_file_gives_what_is_readable_and_says_so) {
  std::string text = heaptrack_text;
  for (int i = 0; i < 50'000; ++i) text += "+ 0\nc " + std::to_string(i) + "\n";
  const std::string packed = zstd_of(text);
  const import_result result =
      import_heaptrack(write("h.zst", packed.substr(0, packed.size() * 2 / 3)), trace());
  ASSERT_EQ(result.problems.size(), 1u);
  EXPECT_THAT(result.problems[0], HasSubstr("ends in the middle"));
}

TEST_F(import_test, lines_that_are_not_understood_are_named) {
  const import_result result =
      import_heaptrack(write("h", heaptrack_text + "+ what\n- 77\na 1\n"), trace());
  EXPECT_EQ(result.events, 3u);
  ASSERT_EQ(result.problems.size(), 2u);
  EXPECT_THAT(result.problems[0], HasSubstr(":16: is not understood"));
}

TEST_F(import_test, a_trace_of_a_file_with_lines_that_are_not_understood_is_not_whole) {
  import_heaptrack(write("h", heaptrack_text), trace());
  EXPECT_TRUE(trace_reader(trace()).is_whole());
  std::string broken = heaptrack_text;
  for (int i = 0; i < 30; ++i) broken += "+ what\n";
  const import_result result = import_heaptrack(write("h", broken), trace());
  EXPECT_EQ(result.problems.size(), 10u);
  EXPECT_EQ(result.lost, 30u);
  const trace_reader made(trace());
  EXPECT_FALSE(made.is_whole());
  EXPECT_EQ(made.dropped(), 30u);
}

TEST_F(import_test, other_files_are_refused_in_one_line) {
  EXPECT_THAT(said_by(write("x", "hello\n")), HasSubstr("is not a file of heaptrack"));
  EXPECT_THAT(said_by(write("e", "")), HasSubstr("is not a file of heaptrack"));
  const std::string packed = zstd_of(heaptrack_text);
  EXPECT_THAT(said_by(write("h.zst", packed.substr(0, packed.size() / 2))),
              HasSubstr("is damaged, and none of its lines"));
  EXPECT_THAT(said_by((folder_ / "none").string()), HasSubstr("No such file"));
  EXPECT_THAT(said_by(write("n", "v 20000 9\n")), HasSubstr("later version"));
}

const std::string dhat_text = R"json({"dhatFileVersion":2
,"mode":"heap","cmd":"prog","pps":[
 {"tb":64,"tbk":2,"tl":10,"mb":64,"mbk":2,"gb":48,"gbk":0,"eb":32,"ebk":1,"fs":[1,2,3]},
 {"tb":8,"tbk":1,"tl":10,"mb":8,"mbk":1,"gb":8,"gbk":0,"eb":0,"ebk":0,"fs":[1,3]}],
"ftbl":["[root]","0x48417B4: malloc (in /usr/libexec/vgpreload_dhat.so)","0x40: make(int (*)(int)) (a.cpp:9)",
"0x50: ??? (in /usr/bin/prog)"]
})json";

TEST_F(import_test, dhats_program_points_become_a_stack_profile) {
  const summed_profile made = read_dhat(write("d", dhat_text));
  EXPECT_EQ(made.command, "prog");
  ASSERT_EQ(made.stacks.nodes.size(), 3u);
  EXPECT_EQ(made.stacks.nodes[1].own.bytes, 8u);  // ??? itself
  EXPECT_EQ(made.stacks.nodes[2].parent, 1u);
  EXPECT_EQ(made.stacks.nodes[2].own.bytes, 64u);
  EXPECT_EQ(made.stacks.nodes[2].own.leaked_blocks, 1u);
  const function_name& make = made.stacks.functions[2];
  EXPECT_EQ(make.name, "make(int (*)(int))");
  EXPECT_EQ(make.file, "a.cpp");
  EXPECT_EQ(make.line, 9u);
  EXPECT_EQ(made.stacks.functions[3].module, "/usr/bin/prog");
}

TEST_F(import_test, dims_of_dhat_are_what_its_sums_say) {
  const dims_result made = dims_of(read_dhat(write("d", dhat_text)), {grouping::function, {}});
  EXPECT_EQ(made.total.allocations, 3u);
  EXPECT_EQ(made.total.frees, 2u);
  EXPECT_EQ(made.total.bytes, 72u);
  EXPECT_EQ(made.total.peak_bytes, 56u);
  EXPECT_EQ(made.total.live_bytes, 32u);
  EXPECT_DOUBLE_EQ(made.all.dims.U.literal.value(), 56.0 / 72);
  EXPECT_FALSE(made.all.dims.D.scaled || made.all.dims.V.literal || made.all.dims.L.scaled ||
               made.all.dims.C.literal);
  ASSERT_EQ(made.subsystems.size(), 2u);
  EXPECT_EQ(made.subsystems[0].name, "make");
  EXPECT_EQ(made.subsystems[0].total.bytes, 64u);
  EXPECT_EQ(made.subsystems[1].name, "(other)");  // of a function without a name
  EXPECT_THAT(made.not_recorded, testing::Contains("times"));
  EXPECT_THROW(dims_of(read_dhat(write("d", dhat_text)), {grouping::thread, {}}),
               std::invalid_argument);
}

TEST_F(import_test, dhats_subsystems_go_by_modules_and_rules_too) {
  const summed_profile read = read_dhat(write("d", dhat_text));
  const auto names = [&](const subsystem_options& by) {
    std::vector<std::string> out;
    for (const subsystem& one : dims_of(read, by).subsystems) out.push_back(one.name);
    return out;
  };
  EXPECT_THAT(names({grouping::module, {}}), testing::ElementsAre("prog"));
  EXPECT_THAT(names({grouping::rules, {{"making", "^make"}}}),
              testing::ElementsAre("making", "(other)"));
  EXPECT_THAT(names({grouping::found, {}}), testing::ElementsAre("make", "(other)"));
}

TEST_F(import_test, functions_without_a_name_are_apart_by_their_modules) {
  const std::string text =
      R"json({"dhatFileVersion":2,"mode":"heap","cmd":"prog","pps":[
 {"tb":64,"tbk":2,"gb":48,"gbk":1,"eb":0,"ebk":0,"fs":[0]},
 {"tb":8,"tbk":1,"gb":8,"gbk":1,"eb":0,"ebk":0,"fs":[1]},
 {"tb":4,"tbk":1,"gb":0,"gbk":0,"eb":0,"ebk":0,"fs":[2]}],
"ftbl":["0x50: ??? (in /usr/bin/prog)","0x60: ??? (in /lib/liba.so.1)","0x54: ??? (in /usr/bin/prog)"]
})json";
  const std::vector<site> sites = sites_of(read_dhat(write("d", text)).stacks, false);
  ASSERT_EQ(sites.size(), 2u);
  EXPECT_EQ(sites[0].function, "??? (prog)");
  EXPECT_EQ(sites[0].bytes, 68u);
  EXPECT_EQ(sites[0].peak_bytes, 48u);
  EXPECT_EQ(sites[1].function, "??? (liba.so.1)");
}

// Export writes what import reads: sums by function are the same.
TEST_F(import_test, pprofs_profiles_are_read_as_they_are_written) {
  stack_profile stacks;
  stacks.functions = {{"main", "", "a.cpp", 3}, {"f(int)", "", "b.cpp", 7}, {"", "", "", 0}};
  stacks.nodes.resize(4);
  stacks.nodes[1] = {0, 0, {}};
  stacks.nodes[2] = {1,
                     1,
                     {.operations = 5,
                      .allocations = 3,
                      .bytes = 300,
                      .leaked_bytes = 100,
                      .leaked_blocks = 1,
                      .peak_bytes = 200,
                      .peak_blocks = 2}};
  stacks.nodes[3] = {1, 2, {.operations = 1, .allocations = 1, .bytes = 10}};
  const std::string plain = to_pprof(stacks, {});
  const std::string padded = gzipped(plain) + std::string(512, '\0');
  for (const std::string& text : {plain, gzipped(plain), zstd_of(plain), padded}) {
    const std::string path = write("p", text);
    ASSERT_TRUE(is_summed_profile(path));
    const summed_profile made = read_summed_profile(path);
    const std::vector<site> sites = sites_of(made.stacks, true);
    ASSERT_EQ(sites.size(), 2u);
    EXPECT_EQ(sites[0].function, "f(int)");
    EXPECT_EQ(sites[0].file, "b.cpp");
    EXPECT_EQ(sites[0].line, 7u);
    EXPECT_EQ(sites[0].bytes, 300u);
    EXPECT_EQ(sites[0].operations, 5u);
    EXPECT_EQ(sites[0].leaked_bytes, 100u);
    EXPECT_EQ(sites[0].peak_bytes, 200u);
    EXPECT_EQ(sites[1].function, "???");
    EXPECT_EQ(dims_of(made, {}).total.bytes, 310u);
  }
}

// Go writes the type of its period first.
TEST_F(import_test, pprofs_profiles_may_begin_with_any_field) {
  stack_profile stacks;
  stacks.functions = {{"main", "", "a.cpp", 3}};
  stacks.nodes.resize(2);
  stacks.nodes[1] = {0, 0, {.allocations = 1, .bytes = 10}};
  const std::string text = "\x5a\x04\x08\x01\x10\x02\x60\x01" + to_pprof(stacks, {});
  EXPECT_TRUE(is_pprof(write("p", gzipped(text))));
  EXPECT_EQ(read_pprof(write("p", text)).stacks.nodes[1].own.bytes, 10u);
}

TEST_F(import_test, damaged_profiles_of_pprof_are_refused_in_one_line) {
  stack_profile stacks;
  stacks.functions = {{"main", "", "a.cpp", 3}};
  stacks.nodes.resize(2);
  stacks.nodes[1] = {0, 0, {.allocations = 1, .bytes = 10}};
  const std::string plain = to_pprof(stacks, {});
  for (const std::string& text : {plain, gzipped(plain)}) {
    for (std::size_t length = 0; length < text.size(); length += 3) {
      const std::string path = write("p", text.substr(0, length));
      try {
        read_pprof(path);
      } catch (const std::runtime_error& problem) {
        EXPECT_EQ(std::string(problem.what()).find('\n'), std::string::npos);
      }
    }
  }
  EXPECT_FALSE(is_pprof(write("x", heaptrack_text)));
  EXPECT_FALSE(is_pprof(write("z", gzipped(heaptrack_text))));
  EXPECT_FALSE(is_pprof((folder_ / "none").string()));
}

// As gperftools 2.10 wrote it, less most of its list of modules.
const std::string tcmalloc_text =
    "heap profile:   1995:  9986384 [  2006: 10002760] @ heapprofile\n"
    "  1994:  9970000 [  1994:  9970000] @ 0x560a241511d7 0x560a24151218 0x560a2415129a\n"
    "     1:    16384 [    12:    32760] @ 0x560a241513db 0x560a24151472 0x560a2415129a\n"
    "\nMAPPED_LIBRARIES:\n"
    "560a24150000-560a24151000 r--p 00000000 00:00 9978821     /no/such/heapy\n"
    "560a24151000-560a24152000 r-xp 00001000 00:00 9978821     /no/such/heapy\n"
    "560a31fb1000-560a332b2000 rw-p 00000000 00:00 0           [heap]\n";

// As jemalloc 5.3 wrote it, likewise.
const std::string jemalloc_text =
    "heap_v2/65536\n"
    "  t*: 598: 9980213 [690: 9203075]\n"
    "  t0: 598: 9980213 [690: 9203075]\n"
    "@ 0x7f15786a2630 0x7f15786a2d21 0x55ef936391d7 0x55ef93639218\n"
    "  t*: 161: 827692 [243: 1249249]\n"
    "  t0: 161: 827692 [243: 1249249]\n"
    "@ 0x7f15786a2630 0x55ef936391d7 0x55ef93639255\n"
    "  t*: 325: 20708446 [325: 20708446]\n"
    "  t0: 325: 20708446 [325: 20708446]\n"
    "\nMAPPED_LIBRARIES:\n"
    "55ef93638000-55ef93639000 r--p 00000000 fe:00 9978821            /no/such/heapy\n"
    "55ef93639000-55ef9363a000 r-xp 00001000 fe:00 9978821            /no/such/heapy\n"
    "7f1578600000-7f1578700000 r-xp 00000000 fe:00 325835             /no/such/libjemalloc.so.2\n";

TEST_F(import_test, heap_profiles_of_tcmalloc_are_sums_of_stacks) {
  const std::string path = write("tc.0001.heap", tcmalloc_text);
  ASSERT_TRUE(is_summed_profile(path));
  const summed_profile made = read_summed_profile(path);
  EXPECT_EQ(made.command, "/no/such/heapy");
  const std::vector<site> sites = sites_of(made.stacks, false);
  ASSERT_EQ(sites.size(), 1u);
  EXPECT_EQ(sites[0].function, "??? (heapy)");
  EXPECT_EQ(sites[0].bytes, 10'002'760u);
  EXPECT_EQ(sites[0].leaked_bytes, 9'986'384u);
  EXPECT_EQ(dims_of(made, {}).total.bytes, 10'002'760u);
}

// Each stack's sums are divided by the probability that a block of its mean size is a sample, and
// jemalloc's own functions are none of the program's.
TEST_F(import_test, heap_profiles_of_jemalloc_stand_for_what_was_not_sampled) {
  const summed_profile made = read_summed_profile(write("je.heap", jemalloc_text));
  std::uint64_t bytes = 0, live = 0;
  for (const site& one : sites_of(made.stacks, false)) {
    EXPECT_EQ(one.function, "??? (heapy)");
    bytes += one.bytes;
    live += one.leaked_bytes;
  }
  const double first = 1 - std::exp(-1249249.0 / 243 / 65536);
  const double second = 1 - std::exp(-20708446.0 / 325 / 65536);
  EXPECT_NEAR(static_cast<double>(bytes), 1249249 / first + 20708446 / second, 2);
  EXPECT_NEAR(static_cast<double>(live),
              827692 / (1 - std::exp(-827692.0 / 161 / 65536)) + 20708446 / second, 2);
}

TEST_F(import_test, damaged_heap_profiles_are_refused_in_one_line) {
  for (const std::string& text : {tcmalloc_text, jemalloc_text}) {
    const std::size_t modules = text.find("MAPPED");
    for (std::size_t length = 20; length < modules; length += 3) {
      const std::string path = write("cut.heap", text.substr(0, length));
      try {
        read_summed_profile(path);
        ADD_FAILURE() << length;
      } catch (const std::runtime_error& problem) {
        EXPECT_EQ(std::string(problem.what()).find('\n'), std::string::npos);
      }
    }
  }
  std::string broken = tcmalloc_text;
  broken.replace(broken.find("1994:"), 5, "many:");
  EXPECT_THROW(read_summed_profile(write("broken.heap", broken)), std::runtime_error);
  EXPECT_THROW(open_trace(write("tc.heap", tcmalloc_text)), std::runtime_error);
}

// They live until the process ends, when the profile is written. jemalloc counts the size that a
// block has, which is the one asked for here.
[[gnu::noinline]] void keep_blocks_for_a_profile() {
  static std::vector<char*> all(300);
  for (char*& one : all) one = new char[57'344];
}

// The program of the test below.
TEST_F(import_test, DISABLED_keeps_blocks) {
  keep_blocks_for_a_profile();
}

// By the tools themselves, where they are installed, with names from this test's own file.
TEST_F(import_test, heap_profiles_of_tools_that_are_here_have_names) {
  int tried = 0;
  for (const std::string library : {"libtcmalloc.so.4", "libjemalloc.so.2"}) {
    if (dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD) != nullptr) continue;
    const std::string command =
        "LD_PRELOAD=" + library + " HEAPPROFILE=" + (folder_ / "tc").string() +
        " MALLOC_CONF=prof:true,prof_final:true,prof_accum:true,lg_prof_sample:12,prof_prefix:" +
        (folder_ / "je").string() + " " + fs::read_symlink("/proc/self/exe").string() +
        " --gtest_also_run_disabled_tests --gtest_filter='*DISABLED_keeps_blocks' >/dev/null 2>&1";
    if (std::system(command.c_str()) != 0)
      continue;  // as where a sanitizer's malloc has to come first
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      if (entry.path().extension() != ".heap") continue;
      ++tried;
      std::uint64_t bytes = 0;
      for (const site& one : sites_of(read_summed_profile(entry.path().string()).stacks, false)) {
        if (one.function.find("keep_blocks_for_a_profile") != std::string::npos)
          bytes += one.leaked_bytes;
      }
      EXPECT_NEAR(static_cast<double>(bytes), 17'203'200, 1e5) << entry.path();
      fs::remove(entry.path());
    }
  }
  if (tried == 0) GTEST_SKIP() << "neither tcmalloc nor a jemalloc with profiles is installed";
}

TEST_F(import_test, other_recorders_files_are_opened_as_traces) {
  const opened_trace whole = open_trace(write("h", heaptrack_text));
  EXPECT_EQ(whole.trace->event_count(), 3u);
  EXPECT_TRUE(whole.trace->is_whole());
  const opened_trace broken = open_trace(write("h", heaptrack_text + "+ what\n"));
  EXPECT_EQ(broken.imported.problems.size(), 1u);
  EXPECT_FALSE(broken.trace->is_whole());
  EXPECT_THROW(open_trace(write("d", dhat_text)), std::runtime_error);
}

TEST_F(import_test, damaged_files_of_dhat_are_refused_in_one_line) {
  for (std::size_t length = 0; length < dhat_text.size(); length += 37) {
    EXPECT_THROW(read_dhat(write("d", dhat_text.substr(0, length))), std::runtime_error) << length;
  }
  EXPECT_FALSE(is_dhat(write("x", heaptrack_text)));
  EXPECT_TRUE(is_dhat(write("d", dhat_text)));
}

TEST_F(import_test, a_call_log_is_a_trace_of_its_blocks) {
  const std::string file = (folder_ / "calls.csv").string();
  void* block = nullptr;
  {
    logging_resource log(file.c_str(), "a, b");
    block = log.allocate(100, 64);
    log.deallocate(log.allocate(7, 1), 7, 1);
    log.deallocate(block, 100, 64);
    EXPECT_THROW((void)logging_resource((folder_ / "none.csv").c_str(), "n",
                                        std::pmr::null_memory_resource())
                     .allocate(1),
                 std::bad_alloc);
  }
  EXPECT_TRUE(is_call_log(file));
  EXPECT_FALSE(is_call_log(write("h", heaptrack_text)));
  const import_result result = import_call_log(file, trace());
  EXPECT_EQ(result.events, 4U);
  EXPECT_TRUE(result.problems.empty());
  const auto events = events_of(trace());
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0].kind, event_kind::allocate);
  EXPECT_EQ(events[0].address, reinterpret_cast<std::uintptr_t>(block));
  EXPECT_EQ(events[0].size, 100U);
  EXPECT_EQ(events[0].alignment_log2, 6U);
  EXPECT_EQ(events[3].kind, event_kind::free);
  EXPECT_EQ(events[3].address, events[0].address);
  EXPECT_EQ(import_call_log((folder_ / "none.csv").string(), trace()).events, 0U);
}

TEST_F(import_test, lines_of_a_call_log_that_are_not_understood_are_named) {
  const std::string header = "time_ns,thread,call,block,bytes,alignment,resource\n";
  const std::string file = write("l", header +
                                          "5,1,allocate,0x10,8,8,n\n"
                                          "6,1,borrow,0x10,8,8,n\n"
                                          "7,0,allocate,0x20,8,8,n\n"
                                          "7,1,allocate,16,8,8,n\n"
                                          "7,1,allocate,0x20,8,24,n\n"
                                          "4,1,deallocate,0x10,8,8,n\n"
                                          "8,2,deallocate,0x10,8,8,n\n"
                                          "9,1,alloc");
  const import_result result = import_call_log(file, trace());
  EXPECT_EQ(result.events, 2U);
  ASSERT_EQ(result.problems.size(), 6U);
  EXPECT_EQ(result.problems[0], file + ":3: is not understood");
  EXPECT_EQ(events_of(trace()).size(), 2U);
  EXPECT_THROW(import_call_log(write("x", "nothing\n"), trace()), std::runtime_error);
}

}  // namespace
}  // namespace mallard::profile
