#include <boost/container/pmr/monotonic_buffer_resource.hpp>
#include <boost/container/pmr/synchronized_pool_resource.hpp>
#include <boost/container/pmr/unsynchronized_pool_resource.hpp>
#include <boost/version.hpp>
#include <string>
#include <vector>

#include "conformance/peers/boost_resource.hpp"
#include "conformance/peers/peers.hpp"

namespace conformance {

namespace bcp = boost::container::pmr;

namespace {

const char* const own_exception =
    "Absurd sizes throw boost::container::bad_alloc, which does not derive from std::bad_alloc.";

void add_known_failures_of_monotonic(const std::string& name, std::vector<known_failure>& known) {
  const std::string no_alignment = "Every alignment above 16 throws std::bad_alloc.";
  const std::string null = "allocate(0) returns null as long as the resource has no chunk.";
  known.push_back({name, "sizes_and_alignments", null + " " + no_alignment});
  known.push_back({name, "odd_sizes_are_aligned", no_alignment});
  known.push_back({name, "forty_bytes_at_64", no_alignment});
  known.push_back({name, "alignment_beyond_size", no_alignment});
  known.push_back({name, "random_programs", no_alignment});
  known.push_back({name, "zero_size", null});
  known.push_back({name, "absurd_sizes_throw", own_exception});
  known.push_back({name, "no_block_is_smaller_than_asked", own_exception});
}

void add_known_failures_of_pool(const std::string& name, std::vector<known_failure>& known) {
  const std::string misaligned = "The pool ignores alignments above 16 (defect D).";
  known.push_back({name, "sizes_and_alignments", misaligned});
  known.push_back({name, "odd_sizes_are_aligned", misaligned});
  known.push_back({name, "forty_bytes_at_64", misaligned});
  known.push_back({name, "alignment_beyond_size", misaligned});
  known.push_back({name, "random_programs", misaligned});
  known.push_back({name, "absurd_sizes_throw", own_exception});
  known.push_back({name, "no_block_is_smaller_than_asked", own_exception});
  known.push_back(
      {name, "release_returns_everything",
       "The table of pools, made by the first allocation, stays until the destructor."});
}

}  // namespace

peer_library boost_container() {
  peer_library out;
  out.name = "Boost.Container";
  out.version =
      std::to_string(BOOST_VERSION / 100000) + "." + std::to_string(BOOST_VERSION / 100 % 1000);
  out.listed_version = "1.81";
  const std::string monotonic = "boost monotonic_buffer_resource";
  const std::string pool = "boost unsynchronized_pool_resource";
  const std::string shared_pool = "boost synchronized_pool_resource";
  out.cases.push_back(row<plain<boost_resource<bcp::monotonic_buffer_resource>>>(monotonic));
  out.cases.push_back(pool_row<plain<boost_resource<bcp::unsynchronized_pool_resource>>>(pool));
  out.cases.push_back(
      pool_row<plain<boost_resource<bcp::synchronized_pool_resource>>>(shared_pool));
  add_known_failures_of_monotonic(monotonic, out.known_failures);
  for (const std::string& either : {pool, shared_pool}) {
    add_known_failures_of_pool(either, out.known_failures);
  }
  return out;
}

}  // namespace conformance
