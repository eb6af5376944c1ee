// logging_resource: a line of CSV for each call.
//
//   mallard::logging_resource log("calls.csv", "names", &pool);
//   std::pmr::vector<std::pmr::string> names(&log);
//   names.emplace_back("a name that is too long for the string object itself");
//
// `mallard import calls.csv -o TRACE` makes a trace of it, which can be replayed. The first line
// names the columns; the file belongs to one resource and one process:
//
//   time_ns,thread,call,block,bytes,alignment,resource
//   1204,1,allocate,0x7f60c4001010,64,8,names
//
// The time is that since the resource was made; threads are numbered as they come; `call` is
// allocate, deallocate or failed, which has no block.
//
// Complexity: on top of the upstream some 300 ns, a lock, and a write of 64 KiB now and then.
// Thread-safety: as upstream.
//
// The published ideas: RMM's logging_resource_adaptor and its replay benchmark.
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
  // Effects: makes the file `path`, or empties it. `name` is copied, null is none; `upstream` must
  // outlive this object.
  // Errors: memory_error (memory_fault::refused) with the system's word when it cannot be opened,
  // (memory_fault::bad_name) when it is null; std::bad_alloc.
  explicit logging_resource(const char* path, const char* name = "",
                            resource_ref upstream = std::pmr::new_delete_resource());
  logging_resource(const logging_resource&) = delete;
  logging_resource& operator=(const logging_resource&) = delete;
  // Effects: flush().
  ~logging_resource() override;

  // Errors: whatever the upstream throws; that is logged.
  void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t));
  void deallocate(void* p, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t));

  // Effects: what has been logged is in the file.
  void flush() noexcept;
  // Returns: the errno of the first line that could not be written, 0 if all could. Memory is
  // served all the same.
  int error() const noexcept;

  std::pmr::memory_resource* upstream_resource() const noexcept { return upstream_; }

 private:
  struct state;

  std::pmr::memory_resource* upstream_;
  state* state_;
};

}  // namespace mallard::inline v1
