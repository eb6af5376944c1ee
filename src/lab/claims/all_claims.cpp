#include <iterator>
#include <utility>

#include "lab/claims/claim_table.hpp"

namespace mallard::lab {

// The files in `statements`, embedded at build time.
extern const std::string_view density_claims_json;
extern const std::string_view locality_claims_json;
extern const std::string_view utilization_claims_json;
extern const std::string_view contention_claims_json;
extern const std::string_view false_sharing_claims_json;
extern const std::string_view overall_claims_json;
extern const std::string_view arrays_claims_json;
extern const std::string_view nodes_claims_json;
extern const std::string_view mallocs_claims_json;

std::span<const claim> all_claims() {
  static const std::vector<claim> claims = [] {
    std::vector<claim> all;
    for (const auto& [text, name] :
         {std::pair(density_claims_json, "density.json"),
          std::pair(locality_claims_json, "locality.json"),
          std::pair(utilization_claims_json, "utilization.json"),
          std::pair(contention_claims_json, "contention.json"),
          std::pair(false_sharing_claims_json, "false_sharing.json"),
          std::pair(overall_claims_json, "overall.json"),
          std::pair(arrays_claims_json, "arrays.json"), std::pair(nodes_claims_json, "nodes.json"),
          std::pair(mallocs_claims_json, "mallocs.json")}) {
      std::vector<claim> part = read_claims(text, name);
      all.insert(all.end(), std::move_iterator(part.begin()), std::move_iterator(part.end()));
    }
    return all;
  }();
  return claims;
}

}  // namespace mallard::lab
