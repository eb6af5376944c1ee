// The commands print with --json what docs/schema.json says.
#include "support/json_schema.hpp"

#include <nlohmann/json.hpp>

#include "cells.hpp"
#include "command_fixture.hpp"
#include "lab/results/results.hpp"

namespace mallard {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class json_schema_test : public command_test {
 protected:
  // With samples of the processor.
  void record(const std::string& out, const words& command) const {
    ASSERT_EQ(run(words{"record", "-q", "-o", out, "--"} + command).status, 0);
  }
  static const json_schema& schema() {
    static const json_schema read(
        nlohmann::json::parse(read_file(fs::path(DOCUMENTS) / "schema.json")));
    return read;
  }
  std::vector<std::string> complaints(const std::string& definition, const words& command) const {
    return schema().complaints(definition, nlohmann::json::parse(run(command).out));
  }
};

TEST_F(json_schema_test, output_of_every_command_is_as_documented) {
  record("a", {"sort", "/dev/null"});
  record("b", {"sort", "/etc/passwd"});
  write("budget", "peak <= 1 B\nallocations in no_such_function <= 0\nleaked <= 1 GiB\n");
  EXPECT_THAT(complaints("dims", {"dims", "b", "--json"}), IsEmpty());
  EXPECT_THAT(complaints("top", {"top", "b", "--json"}), IsEmpty());
  EXPECT_THAT(complaints("top", {"top", "b", "--json", "--by", "line"}), IsEmpty());
  EXPECT_THAT(complaints("diff", {"diff", "a", "b", "--json"}), IsEmpty());
  EXPECT_THAT(complaints("check", {"check", "b", "--budget", "budget", "--json"}), IsEmpty());
}

TEST_F(json_schema_test, result_files_of_every_command_are_as_documented) {
  record("t", {"sort", "/etc/passwd"});
  const words one_malloc = {"--strategies", "AS7", "--mallocs", "none", "--touch", "none"};
  for (const words& call :
       {words{"bench", "density", "--quick", "--ds", "DS1", "--sizes", "6", "--reps", "2"},
        words{"replay", "t", "--quick", "--only", "(all)"} + one_malloc,
        words{"whatif", "--malloc", "mallard", "--repetitions", "2"}}) {
    words whole = call + words{"--json", call.front()};
    if (call.front() == "whatif") whole = whole + words{"--", "sort", "/etc/passwd"};
    ASSERT_EQ(run(whole).status, 0) << call.front();
    std::istringstream lines(read_file(file(call.front())));
    std::size_t cells = 0;
    for (std::string line; std::getline(lines, line);) {
      const auto value = nlohmann::json::parse(line);
      const std::string kind = value["kind"].get<std::string>();
      cells += kind == "cell";
      EXPECT_THAT(schema().complaints("result_" + kind, value), IsEmpty()) << call.front();
    }
    EXPECT_GT(cells, 0u) << call.front();
  }
}

TEST_F(json_schema_test, verdicts_are_as_documented) {
  write("results", to_line(lab::make_run()) + "\n" +
                       to_line(lab::make_cell("DS1", 6, "AS1", "global", "clean", 2)) + "\n" +
                       to_line(lab::make_cell("DS1", 6, "AS7", "mallard", "clean", 1)) + "\n");
  EXPECT_THAT(complaints("claims", {"claims", "results", "--json"}), IsEmpty());
}

TEST_F(json_schema_test, sums_of_other_tools_are_as_documented_too) {
  write("d", R"json({"dhatFileVersion":2,"mode":"heap","cmd":"prog","pps":[
    {"tb":64,"tbk":2,"gb":48,"gbk":1,"eb":32,"ebk":1,"fs":[0]}],"ftbl":["0x50: f (a.c:9)"]})json");
  EXPECT_THAT(complaints("dims", {"dims", "d", "--json"}), IsEmpty());
  EXPECT_THAT(complaints("top", {"top", "d", "--json"}), IsEmpty());
  EXPECT_THAT(complaints("diff", {"diff", "d", "d", "--json"}), IsEmpty());
}

TEST_F(json_schema_test, names_what_is_missing_or_of_another_type) {
  const nlohmann::json place = {{"version", 2},
                                {"trace", 5},
                                {"by", "hand"},
                                {"sort", "peak"},
                                {"places", {{{"function", "f"}}}}};
  EXPECT_THAT(schema().complaints("top", place), SizeIs(3 + 9));
  EXPECT_THAT(schema().complaints("top", {{"other", 1}}), SizeIs(5 + 1));
  const nlohmann::json run = {{"parameters", {{"leaves", true}}}};
  EXPECT_THAT(schema().complaints("result_run", run), SizeIs(15 + 1));
}

}  // namespace
}  // namespace mallard
