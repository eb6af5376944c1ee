// Purpose: writes a line of CSV for each call.
//
//   mallard::logging_resource log("calls.csv", "names", &pool);
//   std::pmr::vector<std::pmr::string> names(&log);
//   names.emplace_back("a name that is too long for the string object itself");
//
// `mallard import calls.csv -o TRACE` makes a trace of the file, which can be replayed. The first
// line names the columns; a file belongs to one resource and one process:
//
//   time_ns,thread,call,block,bytes,alignment,resource
//   1204,1,allocate,0x7f60c4001010,64,8,names
//
// Times are since the resource was made. Threads are numbered in the order in which they come.
// `call` is allocate, deallocate or failed; failed has no block.
//
// Complexity: some 300 ns more than upstream, a lock, and sometimes a write of 64 KiB.
// Thread-safety: as upstream.
//
// Source of the idea: RMM's logging_resource_adaptor and its replay benchmark.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "mallard/detail/config.hpp"
#include "mallard/detail/core/annotate.hpp"  // IWYU pragma: keep
#include "mallard/detail/resources/by_base.hpp"
#include "mallard/resource_ref.hpp"

namespace mallard::inline v1 {

class MALLARD_API logging_resource final : public detail::by_base<logging_resource> {
 public:
  // Effects: makes the file `path`, or empties it. `name` is copied; null is no name. `upstream`
  // must outlive this object.
  // Errors: memory_error: `refused`, with the system's message, if the file cannot be opened;
  // `bad_name` if `path` is null; std::bad_alloc.
  explicit logging_resource(const char* path, const char* name = "",
                            resource_ref upstream = std::pmr::new_delete_resource());
  logging_resource(const logging_resource&) = delete;
  logging_resource& operator=(const logging_resource&) = delete;
  // Effects: flush(), and closes the file.
  ~logging_resource() override;

  // Errors: what the upstream throws; a failed call is logged, too.
  void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t));
  void deallocate(void* p, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t));

  // Effects: writes all that has been logged to the file.
  void flush() noexcept;
  // Returns: the errno of the first line that could not be written, 0 if all could. Such an error
  // does not stop allocation.
  int error() const noexcept;

  std::pmr::memory_resource* upstream_resource() const noexcept { return upstream_; }

 private:
  struct state;

  std::pmr::memory_resource* upstream_;
  state* state_;
};

}  // namespace mallard::inline v1
