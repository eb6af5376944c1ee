// For tests of claims: results that bear a claim out, and results that do not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/claims/claims.hpp"

namespace mallard::lab {

// A good cell of one measure with an interval of 1 % to either side. `column`: "v2@boost", or
// "AS1".
cell_result make_cell_of(std::string_view bench, place at, std::string_view column,
                         std::string_view measure, double figure,
                         std::string_view malloc = "glibc");

struct claim_sides {
  std::string id;
  std::vector<cell_result> holds;
  std::vector<cell_result> fails;
  std::string variant = {};  // the library, where the claim is judged with several
};

// The verdict of evaluate_claims() on one claim on a machine of four cores. Fails the test when it
// says nothing.
claim_verdict judge_claim(const std::vector<cell_result>& cells, std::string_view id,
                          std::string_view variant = {});

// Each claim of the ids that start so holds on one side, fails on the other, and is undecided
// without cells that it needs; each such claim there is has to be among `sides`.
void expect_both_sides(std::string_view id_start, const std::vector<claim_sides>& sides);

}  // namespace mallard::lab
