#include "lab/claims/density_claims.hpp"
#include "lab/claims/series_claims.hpp"

namespace mallard::lab {

std::span<const claim> all_claims(claim_set which) {
  if (which == claim_set::goals) {
    static const std::vector<claim> all = goals();
    return all;
  }
  static const std::vector<claim> claims = [] {
    const auto density = density_claims();
    std::vector<claim> all(density.begin(), density.end());
    for (const auto& part :
         {density::talk_claims(), locality_claims(), utilization_claims(), contention_claims(),
          false_sharing_claims(), malloc_claims(), overall_claims(), expansion_claims(),
          burst_claims(), pool_claims(), malloc_bench_claims()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return claims;
}

}  // namespace mallard::lab
