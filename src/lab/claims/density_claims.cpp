#include "lab/claims/density_claims.hpp"

namespace mallard::lab {

std::span<const claim> density_claims() {
  static const std::vector<claim> claims = [] {
    std::vector<claim> all;
    for (const auto& part : {density::flat_claims(), density::vector_claims(),
                             density::set_claims(), density::general_claims()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return claims;
}

}  // namespace mallard::lab
