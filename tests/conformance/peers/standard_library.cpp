#include <memory_resource>
#include <string>
#include <vector>

#include "conformance/peers/peers.hpp"

namespace conformance {
namespace {

const char* const passed_on =
    "The resource passes a size near SIZE_MAX on to upstream. operator new with an alignment "
    "rounds "
    "it up to 0 and returns a block of no bytes, also for allocate(SIZE_MAX - 80, 256).";

// The same engine serves both pools.
void add_known_failures(const std::string& pool, std::vector<known_failure>& known) {
  const std::string misaligned =
      "The pool chooses the size class by max(size, alignment), so a block of 24 bytes at "
      "alignment "
      "16 lands in the class of 24 bytes and is misaligned (defect A).";
  const std::string crash =
      "When upstream throws while the table of chunks grows, the pool swallows the exception and "
      "uses the last element of an empty table: a segmentation fault (defect B).";
  known.push_back({pool, "sizes_and_alignments", misaligned});
  known.push_back({pool, "odd_sizes_are_aligned", misaligned});
  known.push_back({pool, "random_programs", misaligned});
  known.push_back({pool, "upstream_fails_once", crash});
  known.push_back({pool, "upstream_fails_for_good", crash});
  known.push_back({pool, "first_upstream_calls_fail", crash});
  known.push_back({pool, "no_block_is_smaller_than_asked", passed_on});
  known.push_back({pool, "free_cost_of_oversize_blocks",
                   "Blocks beyond the largest pool are in a sorted array; deallocating one moves "
                   "all that follow."});
  known.push_back({pool, "full_chunks_cost_nothing",
                   "When the newest chunk is full, the pool searches all chunks one by one "
                   "(defect E)."});
}

}  // namespace

peer_library standard_library() {
  peer_library out;
#if defined(__GLIBCXX__)
  out.name = "libstdc++";
  out.version = std::to_string(_GLIBCXX_RELEASE);
  out.listed_version = "12";
#else
  out.name = "the standard library";
  out.version = "unknown";
#endif
  const std::string monotonic = "std::pmr::monotonic_buffer_resource";
  const std::string pool = "std::pmr::unsynchronized_pool_resource";
  const std::string shared_pool = "std::pmr::synchronized_pool_resource";
  out.cases.push_back(row<plain<std::pmr::monotonic_buffer_resource>>(monotonic));
  out.cases.push_back(pool_row<plain<std::pmr::unsynchronized_pool_resource>>(pool));
  out.cases.push_back(pool_row<plain<std::pmr::synchronized_pool_resource>>(shared_pool));
  out.known_failures.push_back({monotonic, "no_block_is_smaller_than_asked", passed_on});
  for (const std::string& either : {pool, shared_pool})
    add_known_failures(either, out.known_failures);
  return out;
}

}  // namespace conformance
