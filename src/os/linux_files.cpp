// Files and shared memory; see mapping.hpp.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "mallard/detail/os/mapping.hpp"

namespace mallard::inline v1::detail::os {
namespace {

int flags_of(file_mode mode) noexcept {
  switch (mode) {
    case file_mode::open_to_read:
      return O_RDONLY | O_CLOEXEC | O_NONBLOCK;  // opening a pipe would wait
    case file_mode::create:
      return O_RDWR | O_CLOEXEC | O_CREAT | O_EXCL;
    case file_mode::open:
      break;
  }
  return O_RDWR | O_CLOEXEC;
}

int error_of(int result) noexcept {
  return result < 0 ? errno : 0;
}

// A lock that belongs to the open file, not to the process, behind what any file can hold.
struct flock lock_at(unsigned number, short type) noexcept {
  struct flock lock{};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = (off_t{1} << 50) + static_cast<off_t>(number);
  lock.l_len = 1;
  return lock;
}

// A call may do only a part of what is asked. One that does nothing more has failed, too.
template <class Call, class Byte>
int in_parts(Call call, int descriptor, Byte* p, std::size_t bytes, std::size_t offset) noexcept {
  while (bytes != 0) {
    const ssize_t done = call(descriptor, p, bytes, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return done < 0 ? errno : EIO;
    p += done;
    offset += static_cast<std::size_t>(done);
    bytes -= static_cast<std::size_t>(done);
  }
  return 0;
}

// Beyond its limit the system would send the process a signal.
bool is_beyond_limit(std::size_t end) noexcept {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && end > limit.rlim_cur;
}

}  // namespace

int open_file(const char* path, file_mode mode, unsigned permissions, int& descriptor) noexcept {
  descriptor = open(path, flags_of(mode), static_cast<mode_t>(permissions));
  return error_of(descriptor);
}

int open_shared(const char* name, file_mode mode, unsigned permissions, int& descriptor) noexcept {
  descriptor = shm_open(name, flags_of(mode), static_cast<mode_t>(permissions));
  return error_of(descriptor);
}

int remove_shared(const char* name) noexcept {
  return error_of(shm_unlink(name));
}

int open_anonymous(const char* name, int& descriptor) noexcept {
  descriptor = memfd_create(name, MFD_CLOEXEC);
  return error_of(descriptor);
}

int open_again(int descriptor, bool writable, int& another) noexcept {
  char path[40];
  std::snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  another = open(path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  return error_of(another);
}

int replace_descriptor(int descriptor, int from) noexcept {
  const int error = error_of(dup3(from, descriptor, O_CLOEXEC));
  close(from);
  return error;
}

void close_file(int descriptor) noexcept {
  close(descriptor);
}

int file_bytes(int descriptor, std::size_t& bytes) noexcept {
  struct stat status{};
  if (fstat(descriptor, &status) != 0) return errno;
  if (!S_ISREG(status.st_mode)) return ENODEV;
  bytes = static_cast<std::size_t>(status.st_size);
  return 0;
}

int read_file(int descriptor, void* p, std::size_t bytes, std::size_t offset) noexcept {
  return in_parts(pread, descriptor, static_cast<char*>(p), bytes, offset);
}

int write_file(int descriptor, const void* p, std::size_t bytes, std::size_t offset) noexcept {
  if (is_beyond_limit(offset + bytes)) return EFBIG;
  return in_parts(pwrite, descriptor, static_cast<const char*>(p), bytes, offset);
}

int extend_file(int descriptor, std::size_t bytes) noexcept {
  if (is_beyond_limit(bytes)) return EFBIG;
  int error = 0;
  do {
    error = error_of(fallocate(descriptor, 0, 0, static_cast<off_t>(bytes)));
  } while (error == EINTR);
  // A file system that cannot reserve space is written to, page by page.
  return error == EOPNOTSUPP ? posix_fallocate(descriptor, 0, static_cast<off_t>(bytes)) : error;
}

void empty_file(int descriptor) noexcept {
  [[maybe_unused]] const int done = ftruncate(descriptor, 0);
}

int map_file(void* at, std::size_t bytes, int descriptor, bool shared) noexcept {
  const int flags = (shared ? MAP_SHARED : MAP_PRIVATE | MAP_NORESERVE) | MAP_FIXED;
  return mmap(at, bytes, PROT_READ | PROT_WRITE, flags, descriptor, 0) == at ? 0 : errno;
}

int sync_file(void* p, std::size_t bytes) noexcept {
  return error_of(msync(p, bytes, MS_SYNC));
}

int lock_number(int descriptor, unsigned number, bool exclusive) noexcept {
  struct flock lock = lock_at(number, exclusive ? F_WRLCK : F_RDLCK);
  const int error = error_of(fcntl(descriptor, F_OFD_SETLK, &lock));
  return error == EACCES ? EAGAIN : error;
}

void unlock_number(int descriptor, unsigned number) noexcept {
  struct flock lock = lock_at(number, F_UNLCK);
  fcntl(descriptor, F_OFD_SETLK, &lock);
}

}  // namespace mallard::inline v1::detail::os
