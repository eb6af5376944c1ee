// A verdict as JSON, for the page and `mallard claims --json`.
#pragma once

#include <nlohmann/json.hpp>

#include "lab/claims/claims.hpp"

namespace mallard::lab {

inline nlohmann::ordered_json to_json(const claim_verdict& one) {
  return {{"id", one.id},          {"source", one.source},       {"section", one.section},
          {"bench", one.bench},    {"statement", one.statement}, {"note", one.note},
          {"heap", one.heap},      {"variant", one.variant},     {"verdict", to_string(one.result)},
          {"figures", one.figures}};
}

}  // namespace mallard::lab
