// Judges statements by measured cells: those of the documents, or of a file.
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
  std::string source;     // "P0089R1", "Slides", "Talk", "Gaztañaga", "Zulfiqar": who says so
  std::string section;    // "7.2", or the passage's subject
  std::string bench;      // the bench it is about; "all" when about several
  std::string statement;  // in our own words
  std::string note;       // a difference between the original's measurement and ours; else empty
  std::string heap;       // the condition it was judged under
  std::string variant;    // of the bench, where that has several, or the library; else empty
  verdict result = verdict::undecided;
  std::string figures;  // the measured numbers behind the verdict, or what is missing
};

// Judges each claim about a bench that has cells, once for each heap that occurs in it (and each
// variant), with our own resources ("mallard") or, where the claim is about what several libraries
// have, with each of theirs. Failed cells count as missing, except where the claim is that they
// fail. The cells must be of one machine and build.
std::vector<claim_verdict> evaluate_claims(std::span<const observation> cells,
                                           std::span<const claim> claims);

// By the statements of the documents.
std::vector<claim_verdict> evaluate_claims(std::span<const observation> cells);

// Reads a file of claims as README.md describes it. `name` begins the text of what is thrown,
// std::runtime_error, when something in it is not understood.
std::vector<claim> read_claims(std::string_view text, std::string_view name);

std::string_view to_string(verdict result);

}  // namespace mallard::lab
