// Real programs with many of their blocks routed do what they do without. Those that are not
// installed are left out.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "support/commands.hpp"
#include "support/scratch_path.hpp"
#include "whatif/strategies.hpp"
#include "whatif/whatif.hpp"

namespace {

using namespace mallard::whatif;
using mallard_test::strategies;
namespace fs = std::filesystem;

class real_program_test : public testing::Test {
 protected:
  void SetUp() override {
    // Its own blocks are to be seen.
    setenv("PYTHONMALLOC", "malloc", 1);
    setenv("PYTHONHASHSEED", "0", 1);
  }

  // Its output is as it is without, for each strategy and pattern; those that end with a function
  // have all strategies.
  void expect_the_same(const std::vector<std::string>& command,
                       const std::vector<std::string>& functions,
                       const std::vector<std::string>& others) const {
    if (!mallard_test::is_installed(command[0])) GTEST_SKIP() << command[0] << " is not installed";
    whatif_options options;
    options.command = command;
    options.library = MALLARD_ROUTE_FILE;
    options.time_budget = 1e-9;  // one run of each way, and one with its operations twice
    options.check_output = true;
    for (const std::string& pattern : functions) {
      for (const std::string& one : strategies) {
        options.variants.push_back({pattern + '=' + one, {{pattern, one}}});
      }
    }
    for (const std::string& pattern : others) {
      for (const char* one : {"multipool", "heap", "adaptive-pool"}) {
        options.variants.push_back({pattern + '=' + one, {{pattern, one}}});
      }
    }
    const whatif_result done = try_whatif(options);
    for (const whatif_outcome& one : done.outcomes) {
      EXPECT_NE(one.runs, 0U) << command[0] << ' ' << one.variant << ": " << one.remark;
      for (const route_outcome& route : one.routes) EXPECT_GT(route.blocks, 100U) << one.variant;
    }
  }

  const mallard::scratch_folder folder_;
};

TEST_F(real_program_test, python_reads_and_writes_json) {
  expect_the_same({"python3", "-c", R"(
import json, random
random.seed(1)
tree = lambda n: {str(i): [random.random(), 'x' * i, tree(n - 1)] for i in range(6)} if n else None
for _ in range(3):
    text = json.dumps(tree(3), sort_keys=True)
    assert json.loads(text) == json.loads(json.dumps(json.loads(text)))
    print(len(text), hash(text))
)"},
                  {"_PyEval_EvalFrameDefault"}, {"size:1-256", "module:*python*"});
}

TEST_F(real_program_test, sqlite_fills_and_searches_a_table) {
  expect_the_same({"sqlite3", ":memory:", R"(
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<4000)
  INSERT INTO t SELECT i, hex(i*7919)||substr('xxxxxxxxxxxxxxxxxxxx', 1, i%20), i/3.0 FROM n;
CREATE INDEX by_b ON t(b, c);
DELETE FROM t WHERE a%7 = 0;
SELECT count(*), sum(length(b)), max(c), min(b) FROM t;
SELECT b, group_concat(a) FROM t GROUP BY b ORDER BY 1 LIMIT 50;
)"},
                  {"sqlite3_step|sqlite3_exec"}, {"size:17-4096", "module:libsqlite3*"});
}

TEST_F(real_program_test, git_writes_and_reads_history) {
  std::ofstream(folder_ / "work.sh") << R"(
set -e
rm -rf r && mkdir r && cd r
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
export GIT_AUTHOR_DATE='2020-01-01T00:00:00Z' GIT_COMMITTER_DATE='2020-01-01T00:00:00Z'
git init -q -b main .
for i in 1 2 3; do
  seq $i 300 > f$i
  git add . && git commit -q -m "commit $i"
done
git repack -q -a -d
git log -p --stat | cat
git fsck --no-progress
)";
  fs::current_path(folder_.path());
  expect_the_same({"sh", (folder_ / "work.sh").string()}, {}, {"size:1-512", "module:git*"});
}

TEST_F(real_program_test, a_compiler_compiles) {
  std::ofstream(folder_ / "f.cpp") << R"(
#include <vector>

int sum(const std::vector<int>& v) { int s = 0; for (int i : v) s += i; return s; }
)";
  expect_the_same({"clang++-19", "-O1", "-c", (folder_ / "f.cpp").string(), "-o", "-"},
                  {"clang::ParseAST"}, {"size:1-1024"});
}

TEST_F(real_program_test, perl_counts_words) {
  expect_the_same({"perl", "-e", R"(
my %count; srand(1);
for my $i (1 .. 30000) { $count{"word" . ($i * 7919 % 1000)} .= substr("abcdefgh", $i % 8); }
print "$_ ", length $count{$_}, "\n" for sort keys %count;
)"},
                  {"perl_run"}, {"size:1-128"});
}

}  // namespace
