// Purpose: memory that is a file: what lies in it is there again when it is opened again, at the
// same address or another one.
//
//   {
//     mallard::file_resource file("orders.mem");
//     *file.find_or_make<long>("count", 0L) += 1;
//     file.sync();                     // so that it survives the machine's end, not only ours
//   }                                  // closed: another process may open it
//   mallard::file_resource again("orders.mem");
//   assert(*again.find<long>("count") == 1);
//
// Its other verbs and its figures are in mallard/memory/segment.hpp.
//
// Complexity: up to 2 KiB O(1) without a system call but for every slab or so; larger blocks O(size
// of the file / 256 KiB) at worst. Thread-safety: all members may be called from any thread.
#pragma once

#include <cstddef>

#include "mallard/detail/config.hpp"
#include "mallard/memory/memory_error.hpp"
#include "mallard/memory/segment.hpp"

namespace mallard::inline v1 {

enum class file_open {
  // An empty file is one that is to be made, and so is one whose maker ended before it was made.
  open_or_create,
  open_existing,
  create_new,
};

enum class file_view {
  shared,        // changes are the file's
  private_copy,  // changes are this process's, and are lost; any number may have the file open so
};

struct file_options {
  file_open open = file_open::open_or_create;
  file_view view = file_view::shared;
  // The size of a file that is made: it never gets larger. Addresses are reserved for all of it.
  std::size_t limit_bytes = std::size_t{1} << 30;
  // The address to map it at, a multiple of 2 MiB; then also plain pointers in it are right again.
  // Null: wherever there is room, and then only offsets are.
  void* address = nullptr;
  // Also a file whose last user ended without closing it. Its blocks and roots are consistent
  // again; whether what lies in them is, only their user knows.
  bool recover = false;
  unsigned permissions = 0644;  // of a file that is made
};

// Has the file alone: nobody else may have it open, or all have private copies. When the file is
// cut while it is open, a touch of what is no more is SIGBUS: no check can prevent that.
class MALLARD_API file_resource final : public segment_resource {
 public:
  // Errors: `memory_error`: `refused` with the system's word when the path cannot be opened, mapped
  // or given space; `exists`; `in_use`; `wrong_file`, `wrong_version`, `cut`, `damaged` and
  // `not_closed` when it is not what a file of this library should be; `not_memory`; `bad_limit`.
  explicit file_resource(const char* path, file_options options);
  explicit file_resource(const char* path) : file_resource(path, file_options{}) {}
  // Effects: `sync`, and closes the file; errors are lost, so call `sync` before.
  ~file_resource() override;

  // Effects: what was changed before is in the file when it returns, on the device itself. Of a
  // private copy: nothing.
  // Errors: `memory_error` when the system could not write.
  void sync();

  bool is_private_copy() const noexcept { return segment_.is_private(); }
  // True if it was made, not found.
  bool is_new() const noexcept { return is_new_; }
  // True if its last user had ended without closing it, and `recover` was set.
  bool was_recovered() const noexcept { return was_recovered_; }

 private:
  struct opened {
    int descriptor;
    bool is_new;
  };
  static opened open(const char* path, const file_options& options);
  file_resource(opened file, const file_options& options);
  void open_segment(const file_options& options);
  int write_all() noexcept;
  int write_header() noexcept;

  bool is_new_;
  bool was_recovered_ = false;
};

}  // namespace mallard::inline v1
