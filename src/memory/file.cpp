#include "mallard/memory/file.hpp"

#include <cerrno>

#include "mallard/detail/failure.hpp"
#include "mallard/detail/memory/failures.hpp"
#include "mallard/detail/os/mapping.hpp"
#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1 {
namespace {

namespace os = detail::os;

constexpr const char* file_kind = "file_resource";

os::file_mode mode_of(const file_options& options) {
  return options.view == file_view::private_copy ? os::file_mode::open_to_read
                                                 : os::file_mode::open;
}

detail::segment_view view_of(const file_options& options) {
  return options.view == file_view::private_copy ? detail::segment_view::private_copy
                                                 : detail::segment_view::shared;
}

[[noreturn]] void fail_to_open(const char* path, int error) {
  const memory_fault fault = error == EEXIST ? memory_fault::exists : memory_fault::refused;
  detail::fail_memory(fault, error, file_kind, "cannot open '%s'", path);
}

}  // namespace

file_resource::opened file_resource::open(const char* path, const file_options& options) {
  if (path == nullptr || *path == '\0') {
    detail::fail_memory(memory_fault::bad_name, EINVAL, file_kind, "a path of no bytes");
  }
  const bool may_make = options.view == file_view::shared;
  if (!may_make && options.open == file_open::create_new) {
    detail::fail_memory(memory_fault::bad_name, EINVAL, file_kind,
                        "a private copy of a new file '%s'", path);
  }
  detail::segment::check_address(file_kind, options.address);
  opened file{-1, false};
  // Another process may make or remove it in between.
  for (int error = 0, tries = 0; tries < 100; ++tries) {
    if (options.open != file_open::create_new) {
      error = os::open_file(path, mode_of(options), 0, file.descriptor);
      if (error == 0) break;
      if (error != ENOENT || !may_make || options.open == file_open::open_existing) {
        fail_to_open(path, error);
      }
    }
    detail::segment::check_limit(file_kind, options.limit_bytes);
    error = os::open_file(path, os::file_mode::create, options.permissions, file.descriptor);
    if (error == 0) {
      file.is_new = true;
      break;
    }
    if (error != EEXIST || options.open == file_open::create_new) fail_to_open(path, error);
  }
  if (file.descriptor < 0) fail_to_open(path, EAGAIN);
  detail::on_failure close([&] { os::close_file(file.descriptor); });
  std::size_t bytes = 0;
  if (const int error = os::file_bytes(file.descriptor, bytes)) {
    detail::fail_memory(memory_fault::not_memory, error, file_kind, "'%s' is no file to be mapped",
                        path);
  }
  if (may_make) {
    // Two processes that find it empty must not both make it.
    if (const int error = os::lock_number(file.descriptor, 1, true)) {
      detail::fail_memory(error == EAGAIN ? memory_fault::in_use : memory_fault::refused, error,
                          file_kind, "cannot have '%s' alone", path);
    }
    if (options.open != file_open::open_existing) {
      if (detail::segment::is_half_made(file.descriptor, detail::segment_kind::file)) {
        os::empty_file(file.descriptor);
      }
      if (os::file_bytes(file.descriptor, bytes) == 0) file.is_new = bytes == 0;
    }
  }
  close.succeeded();
  return file;
}

file_resource::file_resource(const char* path, file_options options)
    : file_resource(open(path, options), options) {}

file_resource::file_resource(opened file, const file_options& options)
    : segment_resource(file_kind, file.descriptor, view_of(options)), is_new_(file.is_new) {
  if (is_new_) {
    detail::on_failure empty([&] { os::empty_file(file.descriptor); });
    segment_.create(detail::segment_kind::file, options.limit_bytes, options.address);
    client_.attach();
    empty.succeeded();
  } else {
    open_segment(options);
  }
  if (!is_private_copy()) write_header();
  begin();
}

void file_resource::open_segment(const file_options& options) {
  segment_.open(detail::segment_kind::file, options.address);
  was_recovered_ = client_.attach();
  if (was_recovered_ && !options.recover) {
    detail::fail_memory(memory_fault::not_closed, EINVAL, file_kind,
                        "its last user ended without closing it");
  }
  // Checked before it is trusted. If it is damaged, but was closed, it stays closed.
  detail::on_failure close([&] {
    if (was_recovered_) return;
    segment_.header().clients[0].in_use.store(0, std::memory_order_release);
  });
  segment_.check();
  close.succeeded();
  segment_.recover();
  segment_.leave_slabs_of(1);
}

file_resource::~file_resource() {
  if (!end() || is_private_copy()) return;
  // The mark that it is closed is written last.
  if (write_all() != 0) return;
  segment_.header().clients[0].in_use.store(0, std::memory_order_release);
  write_header();
}

int file_resource::write_all() noexcept {
  const std::size_t usable =
      std::size_t{segment_.header().usable_units.load(std::memory_order_relaxed)} *
      detail::unit_bytes;
  return os::sync_file(segment_.base(), usable);
}

int file_resource::write_header() noexcept {
  return os::sync_file(segment_.base(),
                       detail::round_up(sizeof(detail::segment_header), os::page_size()));
}

void file_resource::sync() {
  if (is_private_copy()) return;
  if (const int error = write_all()) {
    detail::fail_memory(memory_fault::refused, error, file_kind, "cannot write what was changed");
  }
}

}  // namespace mallard::inline v1
