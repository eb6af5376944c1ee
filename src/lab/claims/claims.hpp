// Judges statements by measured cells: the statements of the documents, or of a file.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/results/observation.hpp"
#include "lab/results/results.hpp"

namespace mallard::lab {

struct claim;  // claim_table.hpp

enum class verdict { holds, fails, undecided };

struct claim_verdict {
  std::string id;         // "I-2.1", "II-3"
  std::string source;     // author: "P0089R1", "Slides", "Talk", "Gaztañaga", "Zulfiqar"
  std::string section;    // "7.2", or the passage's subject
  std::string bench;      // "all" for several
  std::string statement;  // in our words
  std::string note;       // a difference between the original's measurement and ours; may be empty
  std::string heap;       // the condition of the judgement
  std::string variant;    // of the bench, or the library; may be empty
  verdict result = verdict::undecided;
  std::string figures;  // the measured numbers behind the verdict, or what is missing
};

// Judges each claim about a bench with cells, once for each heap among them (and each variant).
// Uses our resources ("mallard"), or each library's for claims about several libraries. Failed
// cells count as missing, unless the claim is that they fail. The cells must be from one machine
// and build.
std::vector<claim_verdict> evaluate_claims(std::span<const observation> cells,
                                           std::span<const claim> claims);

// Uses the statements of the documents.
std::vector<claim_verdict> evaluate_claims(std::span<const observation> cells);

// Reads a file of claims, described in README.md. Throws std::runtime_error, whose text begins with
// `name`, for anything it does not understand.
std::vector<claim> read_claims(std::string_view text, std::string_view name);

std::string_view to_string(verdict result);

}  // namespace mallard::lab
