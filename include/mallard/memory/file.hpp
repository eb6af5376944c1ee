// Purpose: memory in a file: its contents are there again when it is opened again, at this address
// or another one.
//
//   {
//     mallard::file_resource file("orders.mem");
//     *file.find_or_make<long>("count", 0L) += 1;
//     file.sync();                     // survives the end of the machine, not only of the program
//   }                                  // closed: another process may open it
//   mallard::file_resource again("orders.mem");
//   assert(*again.find<long>("count") == 1);
//
// Its other verbs and its figures are in mallard/memory/segment.hpp.
//
// Complexity: up to 2 KiB O(1), with a system call once per slab or so; larger blocks at worst
// O(size of the file / 256 KiB). Thread-safety: any thread may call all members.
#pragma once

#include <cstddef>

#include "mallard/detail/config.hpp"
#include "mallard/memory/memory_error.hpp"
#include "mallard/memory/segment.hpp"

namespace mallard::inline v1 {

enum class file_open {
  // Also makes a file that is empty, or that its maker left unfinished.
  open_or_create,
  open_existing,
  create_new,
};

enum class file_view {
  shared,        // changes go to the file
  private_copy,  // changes stay in this process and are lost; any number may open it so
};

struct file_options {
  file_open open = file_open::open_or_create;
  file_view view = file_view::shared;
  // The most a new file may grow to, for good. Addresses are reserved for all of it.
  std::size_t limit_bytes = std::size_t{1} << 30;
  // The address to map it at, a multiple of 2 MiB: then plain pointers in it stay valid, too. Null:
  // wherever there is room, and only offsets stay valid.
  void* address = nullptr;
  // Also opens a file whose last user ended without closing it. Its blocks and roots are consistent
  // again; only their user knows whether their contents are.
  bool recover = false;
  unsigned permissions = 0644;  // of a new file
};

// Nobody else may have the file open, unless all have private copies. If the file is truncated
// while it is open, a touch of the missing part is SIGBUS: no check can prevent that.
class MALLARD_API file_resource final : public segment_resource {
 public:
  // Errors: `memory_error`: `refused`, with the system's message, if the path cannot be opened,
  // mapped or given space; `exists`; `in_use`; `bad_name`, `bad_alignment`, `bad_limit`; for a bad
  // file `wrong_file`, `wrong_version`, `cut`, `damaged`, `not_closed`, `not_memory`.
  explicit file_resource(const char* path, file_options options);
  explicit file_resource(const char* path) : file_resource(path, file_options{}) {}
  // Effects: `sync`, then marks the file closed unless that fails. To see errors call `sync`.
  ~file_resource() override;

  // Effects: writes all earlier changes to the device itself; of a private copy, nothing.
  // Errors: `memory_error` if the system could not write.
  void sync();

  bool is_private_copy() const noexcept { return segment_.is_private(); }
  // Returns: whether it was made, not found.
  bool is_new() const noexcept { return is_new_; }
  // Returns: whether its last user had ended without closing it, and `recover` was set.
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
