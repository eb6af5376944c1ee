// A program that knows its own D, V, L, U, C and F.
#include <gmock/gmock.h>

#include <cmath>

#include "profile/analysis.hpp"
#include "profile/live_table.hpp"
#include "profile/result_json.hpp"
#include "profile/sites.hpp"
#include "profile/subsystem_meter.hpp"
#include "profile/trace_script.hpp"

namespace mallard::profile {
namespace {

using testing::ElementsAre;

class dimensions_test : public testing::Test {
 protected:
  dims_result result(const analysis_options& options = by_function()) {
    script.finish();
    trace_reader reader(file.path());
    return analyse(reader, function_table(reader), options);
  }
  static analysis_options by_function() {
    analysis_options options;
    options.subsystems.by = grouping::function;
    return options;
  }
  static const subsystem& named(const dims_result& dims, const std::string& name) {
    for (const auto& one : dims.subsystems) {
      if (one.name == name) return one;
    }
    ADD_FAILURE() << "no subsystem " << name;
    static const subsystem none;
    return none;
  }
  void in(const std::string& function, const std::function<void()>& body) {
    script.call("main", 1, [&] { script.call(function, 2, body); });
  }

  scratch_file file;
  trace_script script{file.path()};
};

TEST_F(dimensions_test, totals_are_exact) {
  in("f", [&] {
    const auto a = script.allocate(1, 100);
    const auto b = script.allocate(2, 50);
    script.free(3, a);
    const auto c = script.reallocate(4, b, 400);
    script.allocate(5, 7);
    script.free(6, c);
    script.free(7, 0x999);  // of before the recording
  });
  const heap_total total = result().total;
  EXPECT_EQ(total.allocations, 3u);
  EXPECT_EQ(total.frees, 3u);
  EXPECT_EQ(total.reallocations, 1u);
  EXPECT_EQ(total.bytes, 557u);
  EXPECT_EQ(total.peak_bytes, 407u);
  EXPECT_EQ(total.live_blocks, 1u);
  EXPECT_EQ(total.live_bytes, 7u);
  EXPECT_EQ(total.moved_bytes, 50u);
  EXPECT_EQ(total.unknown_frees, 1u);
}

TEST_F(dimensions_test, temporary_is_what_the_next_operation_of_the_thread_frees) {
  in("f", [&] {
    script.free(2, script.allocate(1, 8));
    const auto a = script.allocate(1, 8);
    script.free(3, script.allocate(2, 8));
    script.free(4, a);
  });
  EXPECT_EQ(result().total.temporary, 2u);
}

TEST_F(dimensions_test, density_is_the_share_of_processor_time_in_the_heap) {
  // A hundred pairs, 30 ns and 20 ns each, in ten samples of 1 us: half of the time.
  in("f", [&] {
    for (int i = 0; i < 100; ++i) script.free(2, script.allocate(1, 8, 30), 20);
    for (int i = 0; i < 10; ++i) script.sample(3);
  });
  const auto dims = result();
  EXPECT_DOUBLE_EQ(*named(dims, "f").dims.D.scaled, 0.5);
  EXPECT_DOUBLE_EQ(*named(dims, "f").dims.D.literal, 200.0 / 10'000);
  EXPECT_EQ(named(dims, "f").cpu_ns, 10'000u);
}

TEST_F(dimensions_test, variation_is_the_entropy_of_size_classes) {
  in("same", [&] {
    for (int i = 0; i < 64; ++i) script.allocate(1, 32);
  });
  in("even", [&] {
    for (int i = 0; i < 64; ++i) script.allocate(1, 32u << (i % 4));
  });
  in("skewed", [&] {
    for (int i = 0; i < 64; ++i) script.allocate(1, i == 0 ? 4096 : 32);
  });
  const auto dims = result();
  EXPECT_DOUBLE_EQ(*named(dims, "same").dims.V.scaled, 0);
  EXPECT_DOUBLE_EQ(named(dims, "same").effective_classes, 1);
  EXPECT_DOUBLE_EQ(*named(dims, "even").dims.V.scaled, 1);
  EXPECT_DOUBLE_EQ(named(dims, "even").effective_classes, 4);
  EXPECT_DOUBLE_EQ(*named(dims, "even").dims.V.literal, 4.0 / 64);
  const double entropy = -(1.0 / 64 * std::log2(1.0 / 64) + 63.0 / 64 * std::log2(63.0 / 64));
  EXPECT_NEAR(*named(dims, "skewed").dims.V.scaled, entropy, 1e-12);
}

TEST_F(dimensions_test, locality_is_pages_needed_over_pages_used) {
  in("dense", [&] {
    for (int i = 0; i < 256; ++i) script.allocate(1, 15);
  });  // side by side
  for (int i = 0; i < 16; ++i) {
    in("sparse", [&] { script.allocate(1, 16); });
    in("other", [&] { script.allocate(1, 8170); });
  }
  const auto dims = result();
  EXPECT_DOUBLE_EQ(*named(dims, "dense").dims.L.scaled,
                   0.5);  // 3840 bytes in blocks of 16: 1 page of 2
  EXPECT_DOUBLE_EQ(*named(dims, "sparse").dims.L.scaled, 1.0 / 16);
  EXPECT_DOUBLE_EQ(named(dims, "sparse").where.page_diffusion, 16);
  EXPECT_LT(named(dims, "sparse").where.page_purity, 0.01);
  EXPECT_DOUBLE_EQ(named(dims, "dense").where.neighbours, 1);
}

TEST_F(dimensions_test, utilization_is_peak_over_total) {
  in("keeper", [&] {
    for (int i = 0; i < 10; ++i) script.allocate(1, 100);
  });
  in("user", [&] {
    for (int i = 0; i < 10; ++i) {
      const auto a = script.allocate(1, 100), b = script.allocate(2, 100);
      script.free(3, a);
      script.free(4, b);
    }
  });
  const auto dims = result();
  EXPECT_DOUBLE_EQ(*named(dims, "keeper").dims.U.literal, 1);
  EXPECT_DOUBLE_EQ(*named(dims, "user").dims.U.literal, 0.1);
  // In an epoch nothing is used twice.
  EXPECT_DOUBLE_EQ(*named(dims, "user").dims.U.scaled, 1);
  EXPECT_EQ(named(dims, "user").epochs.count, 10u);
  EXPECT_EQ(named(dims, "user").epochs.max_bytes, 200u);
}

TEST_F(dimensions_test, contention_is_how_much_of_the_time_another_thread_is_inside) {
  // Each event is 10 ns after the one before.
  for (int i = 0; i < 100; ++i) {
    script.on_thread(1);
    in("shared", [&] { script.allocate(1, 8, 20); });
    script.on_thread(2);
    in("shared", [&] { script.allocate(1, 8, 20); });
  }
  script.on_thread(1);
  in("alone", [&] {
    for (int i = 0; i < 100; ++i) script.allocate(1, 8, 20);
    script.sample(2);
  });
  const auto dims = result();
  const subsystem& shared = named(dims, "shared");
  // Windows of 30 ns with three operations of 20 ns: two of a thread, and another one beside it for
  // two thirds of the time; and one of the other thread, never alone. 4 us of operations in 3 us.
  EXPECT_NEAR(*shared.dims.C.scaled, (2 * 2.0 / 3 + 1) / 3, 0.1);
  EXPECT_NEAR(*shared.dims.C.literal, 4000.0 / (2 * 3000), 0.01);
  EXPECT_EQ(*named(dims, "alone").dims.C.literal, 0);
  EXPECT_EQ(*named(dims, "alone").dims.C.scaled, 0);
  EXPECT_THAT(shared.threads, ElementsAre(1u, 2u));
}

TEST_F(dimensions_test, fragmentability_is_how_often_others_come_between) {
  for (int i = 0; i < 50; ++i) {
    in("mixed", [&] { script.allocate(1, 32); });
    in("mixer", [&] { script.allocate(1, 32); });
    in("elsewhere", [&] { script.allocate(1, 5000); });  // another size class: in nobody's way
  }
  in("alone", [&] {
    for (int i = 0; i < 50; ++i) script.allocate(1, 64);
  });
  const auto dims = result();
  EXPECT_DOUBLE_EQ(*named(dims, "mixed").dims.F.scaled, 1);
  EXPECT_DOUBLE_EQ(*named(dims, "alone").dims.F.scaled, 0);
  EXPECT_DOUBLE_EQ(*named(dims, "elsewhere").dims.F.scaled, 0);
  EXPECT_DOUBLE_EQ(*named(dims, "alone").dims.F.literal, 1);  // others exist
}

TEST_F(dimensions_test, windows_follow_the_time) {
  std::vector<std::uint64_t> blocks;
  in("f", [&] {
    for (int i = 0; i < 50; ++i) blocks.push_back(script.allocate(1, 10));
    for (const auto one : blocks) script.free(2, one);
  });
  analysis_options options = by_function();
  options.windows = 2;
  const auto dims = result(options);
  const auto& windows = named(dims, "f").windows;
  ASSERT_EQ(windows.size(), 2u);
  EXPECT_NEAR(static_cast<double>(windows[0].allocations), 50, 1);
  EXPECT_NEAR(static_cast<double>(windows[1].frees), 50, 1);
  EXPECT_EQ(windows[1].live_bytes, 0u);
  EXPECT_EQ(windows[0].peak_bytes, 10 * windows[0].allocations);
}

TEST_F(dimensions_test, subsystems_are_found_where_the_call_tree_forks) {
  script.call("main", 1, [&] {
    script.call("run", 1, [&] {
      script.call("app::parse", 2, [&] {
        for (int i = 0; i < 300; ++i) script.allocate(1, 32);
      });
      script.call("app::render", 3, [&] {
        script.call("std::vector<int>::push_back(int)", 1, [&] {
          for (int i = 0; i < 600; ++i) script.allocate(1, 16);
        });
      });
      script.call("app::tiny", 4, [&] { script.allocate(1, 8); });
    });
  });
  const auto dims = result({});
  std::vector<std::string> names;
  for (const auto& one : dims.subsystems) names.push_back(one.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("app::parse", "app::render", "main"));
}

TEST_F(dimensions_test, what_a_thread_runs_is_a_subsystem_and_not_what_calls_it) {
  const std::string run = "std::thread::_State_impl<std::thread::_Invoker<main> >::_M_run()";
  script.call("libstdc++.so.6+0xd4490", 1, [&] {
    script.call(run, 2, [&] {
      script.call("std::vector<int>::push_back(int)", 3, [&] {
        for (int i = 0; i < 300; ++i) script.allocate(1, 32);
      });
    });
  });
  const auto dims = result({});
  ASSERT_EQ(dims.subsystems.size(), 1u);
  EXPECT_THAT(dims.subsystems[0].name, testing::HasSubstr("_M_run"));
}

TEST_F(dimensions_test, subsystems_by_rules_take_the_first_that_fits) {
  in("app::parse(int)", [&] { script.allocate(1, 10); });
  in("lib::draw()", [&] { script.allocate(1, 20); });
  in("rest", [&] { script.allocate(1, 40); });
  analysis_options options;
  options.subsystems.by = grouping::rules;
  options.subsystems.rules = {{"A", "^app::"}, {"L", "draw"}};
  const auto dims = result(options);
  EXPECT_EQ(named(dims, "A").total.bytes, 10u);
  EXPECT_EQ(named(dims, "L").total.bytes, 20u);
  EXPECT_EQ(named(dims, "(other)").total.bytes, 40u);
}

TEST_F(dimensions_test, json_has_what_is_promised) {
  in("f", [&] { script.free(2, script.allocate(1, 8)); });
  const auto json = to_json(result());
  for (const char* name :
       {"allocations", "frees", "reallocations", "bytes", "peak_bytes", "live_blocks"}) {
    EXPECT_TRUE(json["total"].contains(name)) << name;
  }
  ASSERT_FALSE(json["subsystems"].empty());
  for (const char* letter : {"D", "V", "L", "U", "C", "F"}) {
    EXPECT_TRUE(json["subsystems"][0][letter].contains("literal")) << letter;
    EXPECT_TRUE(json["subsystems"][0][letter].contains("scaled")) << letter;
  }
  ASSERT_FALSE(json["arena_scopes"].empty());
  for (const char* name :
       {"function", "threads", "invocations", "dead_share", "bytes", "survivors"}) {
    EXPECT_TRUE(json["arena_scopes"][0].contains(name)) << name;
  }
}

TEST_F(dimensions_test, sites_are_the_functions_that_asked_for_memory) {
  std::uint64_t kept = 0;
  in("f", [&] {
    script.call("operator new(unsigned long)", 5, [&] { kept = script.allocate(1, 100); });
  });
  in("g", [&] { script.free(2, script.allocate(1, 30)); });
  script.finish();
  trace_reader reader(file.path());
  const auto sites = list_sites(reader, function_table(reader), false);
  ASSERT_EQ(sites.size(), 2u);
  EXPECT_EQ(sites[0].function, "f");
  EXPECT_EQ(sites[0].leaked_bytes, 100u);
  EXPECT_EQ(sites[0].peak_bytes, 100u);
  EXPECT_EQ(sites[1].function, "g");
  EXPECT_EQ(sites[1].temporary, 1u);
  EXPECT_EQ(sites[1].peak_bytes, 30u);
  EXPECT_EQ(sites[1].operations, 2u);
}

TEST(size_class, four_to_a_doubling_and_every_size_in_its_own) {
  for (std::uint64_t bytes = 1; bytes < 100'000; ++bytes) {
    const auto size_class = size_class_of(bytes);
    ASSERT_LE(bytes, size_of_class(size_class));
    ASSERT_TRUE(size_class == 0 || bytes > size_of_class(size_class - 1));
  }
  EXPECT_EQ(size_class_of(128) - size_class_of(64), 4u);
}

TEST(short_name, is_the_function_without_its_types) {
  EXPECT_EQ(short_name("void a::b<int>::f(std::vector<int>)"), "a::b::f");
  EXPECT_EQ(short_name("main"), "main");
  EXPECT_EQ(short_name("(anonymous namespace)::parse(int)"), "(anonymous namespace)::parse");
  EXPECT_EQ(short_name("a::operator()(int) const"), "a::operator()");
  EXPECT_EQ(short_name("a::operator unsigned long() const"), "a::operator unsigned long");
  EXPECT_EQ(short_name("f(int)::{lambda(a::b)#1}::operator()(a::b) const"),
            "f::{lambda(a::b)#1}::operator()");
  EXPECT_EQ(short_name("a::f[abi:cxx11](int) [clone .cold]"), "a::f");
  EXPECT_EQ(namespace_of("int a::b::f(int)"), "a::b");
  EXPECT_EQ(namespace_of("f"), "");
}

TEST(function_names, what_is_no_cpp_is_shown_whole) {
  for (const std::string name : {"my function", "odd(name", "odd)name", "odd (x) y", "odd<name",
                                 "a<b(c", "{open", "1 + (2)x", "-[Shape initWith:and:]",
                                 "<alloc::Vec<T> as core::Clone>::clone", "operator new[]"}) {
    EXPECT_EQ(short_name(name), name);
  }
}

TEST(function_names, compilers_clones_have_the_name_of_their_function) {
  for (const std::string name : {"f.cold", "f.part.0", "f.isra.0.cold", "f.constprop.3"}) {
    EXPECT_EQ(without_clone(name), "f");
  }
  for (const std::string name : {"my.party", "f.coldness", ".part.0", "a.b"}) {
    EXPECT_EQ(without_clone(name), name);
  }
}

TEST(number_counts, are_exact_while_they_are_few_and_close_afterwards) {
  number_counts few, many;
  for (std::uint64_t i = 1; i <= 100; ++i) few.add(i);
  EXPECT_EQ(few.quantile(0.5), 50u);
  EXPECT_EQ(few.quantile(0.99), 99u);
  EXPECT_EQ(few.max(), 100u);
  for (std::uint64_t i = 1; i <= 100'000; ++i) many.add(i);
  EXPECT_FALSE(many.exact());
  EXPECT_NEAR(static_cast<double>(many.quantile(0.5)), 50'000, 400);
  EXPECT_EQ(many.max(), 100'000u);
  EXPECT_EQ(many.count(), 100'000u);
  EXPECT_LE(many.sorted().size(), 4096u);
}

TEST(live_table, finds_what_is_there_after_many_changes) {
  struct block {
    std::uint64_t address = 0;
    std::uint64_t value = 0;
  };
  live_table<block> table;
  std::map<std::uint64_t, std::uint64_t> model;
  std::uint64_t seed = 1;
  for (int i = 0; i < 200'000; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t address = 16 * (1 + (seed >> 33) % 20'000);
    block* const found = table.find(address);
    ASSERT_EQ(found != nullptr, model.contains(address));
    if (found) {
      ASSERT_EQ(found->value, model[address]);
      table.erase(found);
      model.erase(address);
    } else {
      table.insert({address, seed});
      model[address] = seed;
    }
  }
  EXPECT_EQ(table.size(), model.size());
}

}  // namespace
}  // namespace mallard::profile
