// The checkable statements of the documents, each as a predicate over measured cells.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/results/observation.hpp"
#include "lab/results/results.hpp"

namespace mallard::lab {

// What is judged: statements of documents about allocators of any kind, or what ours set out to
// reach.
enum class claim_set { documents, goals };

enum class verdict { holds, fails, undecided };

struct claim_verdict {
  std::string id;         // "I-2.1", "II-3"
  std::string source;     // "P0089R1", "Slides", "Talk", "Gaztañaga", "Zulfiqar": who says so
  std::string section;    // "7.2", or what the passage is about
  std::string bench;      // the bench it is about; "all" when about several
  std::string statement;  // what is claimed, in our own words
  std::string note;       // what the original measured instead, where that matters; else empty
  std::string heap;       // the condition it was judged under
  std::string variant;    // of the bench, where that has several, or the library; else empty
  verdict result = verdict::undecided;
  std::string figures;  // the measured numbers behind the verdict, or what is missing
};

// Judges every claim of the set about a bench of which there are cells, once for each heap that
// occurs in it (and each variant), with our own resources ("mallard") or, where the claim is about
// what several libraries have, with each of theirs. Failed cells count as missing, except where the
// claim is that they fail. The cells must be of one machine and build.
std::vector<claim_verdict> evaluate_claims(std::span<const observation> cells,
                                           claim_set which = claim_set::documents);

std::string_view to_string(verdict result);

}  // namespace mallard::lab
