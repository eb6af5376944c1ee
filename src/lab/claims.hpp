// The checkable statements of P0089R1, section 7, each as a predicate over measured cells.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/results.hpp"

namespace mallard::lab {

enum class verdict { holds, fails, undecided };

struct claim_verdict {
  std::string id;         // "I-2.1"
  std::string section;    // "7.2" (DS2), "7.12" for the general observations at its end
  std::string statement;  // what is claimed, in our own words
  std::string note;       // what the original measured instead, where that matters; else empty
  std::string heap;       // the condition it was judged under
  verdict result = verdict::undecided;
  std::string figures;  // the measured numbers behind the verdict, or what is missing
};

// Judges every claim once for each heap that occurs in `cells`, with our own resources ("mallard").
// Failed cells count as missing.
std::vector<claim_verdict> evaluate_claims(std::span<const cell_result> cells);

std::string_view to_string(verdict result);

}  // namespace mallard::lab
