// Purpose: the counts of all counting resources that have a name: as data, as a table, as JSON.
//
//   mallard::counting_resource names("names", &pool);
//   std::pmr::vector<std::pmr::string> all(&names);
//   all.emplace_back("a name that is too long for the string object itself");
//   std::fputs(mallard::counting_table().c_str(), stderr);
//   std::ofstream("counts.json") << mallard::counting_json();
//
// Complexity: O(resources * (size classes + scopes + threads)). Thread-safety: any thread may call
// all functions at any time, also while the resources are used; these are not stopped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mallard/checks/counting_resource.hpp"
#include "mallard/checks/synchronized_counting_resource.hpp"
#include "mallard/detail/config.hpp"

namespace mallard::inline v1 {

// The blocks of one size class of the pools.
struct class_counts {
  std::size_t up_to_bytes = 0;  // the largest size; the greatest std::size_t for the last class
  std::uint64_t allocations = 0;
  std::uint64_t deallocations = 0;
};

struct counting_report {
  std::string name;
  allocation_counts counts;
  std::vector<class_counts> classes;  // those that have been used, the smallest first
  std::vector<scope_counts> scopes;   // those that have ended, by name
};

namespace detail {

// Takes the vector as an argument, so that code with another std::vector (_GLIBCXX_DEBUG) does not
// link.
MALLARD_API void add_counting_reports(std::vector<counting_report>& to);

}  // namespace detail

// Returns: a report on each counting resource that has a name and exists now, oldest first.
// Errors: std::bad_alloc.
inline std::vector<counting_report> counting_reports() {
  std::vector<counting_report> all;
  detail::add_counting_reports(all);
  return all;
}

// Returns: the reports as a table for people, in bytes and blocks; "" if there are none.
// Errors: std::bad_alloc.
MALLARD_API std::string counting_table(const std::vector<counting_report>& of = counting_reports());

// Returns: the reports as a JSON array of objects with the members' names. The size of the last
// class is null.
// Errors: std::bad_alloc.
MALLARD_API std::string counting_json(const std::vector<counting_report>& of = counting_reports());

}  // namespace mallard::inline v1
