// Each system call is refused once, by itself and from there on: nothing is lost, nothing is half
// done, and what is thrown has the system's word. And at each the process ends once.
#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstring>
#include <functional>
#include <memory_resource>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mallard/memory/file.hpp"
#include "mallard/memory/huge.hpp"
#include "mallard/memory/mapped.hpp"
#include "mallard/memory/memory_error.hpp"
#include "mallard/memory/numa.hpp"
#include "mallard/memory/protected.hpp"
#include "mallard/memory/shared.hpp"
#include "mallard/multipool.hpp"
#include "support/forked.hpp"
#include "support/scratch_path.hpp"

namespace {

constexpr int never = -1;
int calls_until_refusal = never;
bool for_good = false;
int refusals = 0;

int calls_until_end = never;

void end_here_sometimes() {
  if (calls_until_end >= 0 && calls_until_end-- == 0) raise(SIGKILL);
}

bool refuse() {
  end_here_sometimes();
  if (calls_until_refusal < 0) return false;
  if (calls_until_refusal > 0) {
    --calls_until_refusal;
    return false;
  }
  if (!for_good) calls_until_refusal = never;
  ++refusals;
  errno = ENOMEM;
  return true;
}

}  // namespace

// Put in the place of the system's by the linker.
extern "C" {
void* __real_mmap(void* p, std::size_t bytes, int protection, int flags, int file, off_t offset);
void* __wrap_mmap(void* p, std::size_t bytes, int protection, int flags, int file, off_t offset) {
  // Calls that take memory away are never refused for want of it.
  const bool gives_back = protection == PROT_NONE && (flags & MAP_FIXED) != 0;
  if (!gives_back && refuse()) return MAP_FAILED;
  return __real_mmap(p, bytes, protection, flags, file, offset);
}
int __real_mprotect(void* p, std::size_t bytes, int protection);
int __wrap_mprotect(void* p, std::size_t bytes, int protection) {
  return refuse() ? -1 : __real_mprotect(p, bytes, protection);
}
int __real_madvise(void* p, std::size_t bytes, int advice);
int __wrap_madvise(void* p, std::size_t bytes, int advice) {
  if (advice != MADV_DONTNEED && refuse()) return -1;
  return __real_madvise(p, bytes, advice);
}
int __real_mlock(const void* p, std::size_t bytes);
int __wrap_mlock(const void* p, std::size_t bytes) {
  return refuse() ? -1 : __real_mlock(p, bytes);
}
int __real_fallocate(int file, int mode, off_t offset, off_t bytes);
int __wrap_fallocate(int file, int mode, off_t offset, off_t bytes) {
  return refuse() ? -1 : __real_fallocate(file, mode, offset, bytes);
}
ssize_t __real_pwrite(int file, const void* p, std::size_t bytes, off_t offset);
ssize_t __wrap_pwrite(int file, const void* p, std::size_t bytes, off_t offset) {
  end_here_sometimes();
  return __real_pwrite(file, p, bytes, offset);
}
int __real_msync(void* p, std::size_t bytes, int flags);
int __wrap_msync(void* p, std::size_t bytes, int flags) {
  end_here_sometimes();
  return __real_msync(p, bytes, flags);
}
int __real_memfd_create(const char* name, unsigned flags);
int __wrap_memfd_create(const char* name, unsigned flags) {
  return refuse() ? -1 : __real_memfd_create(name, flags);
}
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a[6];
  for (long& one : a) one = va_arg(list, long);
  va_end(list);
  if (number == SYS_mbind && refuse()) return -1;
  return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
}

namespace {

// Runs `program` with its n-th call refused, for each n until none is.
void refuse_each_call(const std::function<void()>& program) {
  for (const bool all_after : {false, true}) {
    for (int n = 0;; ++n) {
      ASSERT_LT(n, 1000);
      calls_until_refusal = n;
      for_good = all_after;
      refusals = 0;
      try {
        program();
      } catch (const mallard::memory_error& e) {
        calls_until_refusal = never;
        EXPECT_EQ(e.code(), std::errc::not_enough_memory) << e.what();
        EXPECT_TRUE(std::string(e.what()).ends_with("Cannot allocate memory")) << e.what();
      }
      calls_until_refusal = never;
      if (refusals == 0) break;
    }
  }
}

// A load whose blocks are looked at; what cannot be had is left out.
void use(std::pmr::memory_resource& resource) {
  std::vector<std::pair<unsigned char*, std::size_t>> blocks;
  const auto check = [&] {
    for (const auto& [p, bytes] : blocks) {
      ASSERT_EQ(p[0], bytes % 251);
      ASSERT_EQ(p[bytes - 1], bytes % 251);
    }
  };
  std::exception_ptr first;
  for (std::size_t bytes = 100; bytes < 600'000; bytes = bytes * 3 / 2) {
    try {
      auto* const p = static_cast<unsigned char*>(resource.allocate(bytes, 64));
      std::memset(p, static_cast<int>(bytes % 251), bytes);
      blocks.emplace_back(p, bytes);
    } catch (const mallard::memory_error&) {
      if (!first) first = std::current_exception();
    }
  }
  check();
  for (const auto& [p, bytes] : blocks) resource.deallocate(p, bytes, 64);
  if (first) std::rethrow_exception(first);
}

template <class Resource, class Options>
void refuse_each_call_of(Options options) {
  refuse_each_call([&] {
    Resource resource(options);
    const std::size_t before = resource.stats().in_use_bytes;
    try {
      use(resource);
    } catch (...) {
      if constexpr (requires { resource.verify(); }) resource.verify();
      resource.trim();
      EXPECT_LE(resource.stats().in_use_bytes, before);
      if (!for_good) use(resource);  // refused once, it goes on
      throw;
    }
    resource.trim();
    EXPECT_LE(resource.stats().in_use_bytes, before);
  });
}

TEST(refused_calls, of_mapped_pages) {
  refuse_each_call_of<mallard::mapped_resource>(mallard::mapped_options{.guard_pages = true});
  refuse_each_call_of<mallard::mapped_resource>(
      mallard::mapped_options{.populate = true, .lock = true, .name = "refused"});
}

TEST(refused_calls, of_huge_pages) {
  refuse_each_call_of<mallard::huge_resource>(mallard::huge_options{});
  refuse_each_call_of<mallard::huge_resource>(mallard::huge_options{
      .wanted = mallard::page_kind::transparent, .accepted = mallard::page_kind::transparent});
}

TEST(refused_calls, of_nodes) {
  if (!mallard::numa_resource::available()) GTEST_SKIP();
  refuse_each_call_of<mallard::numa_resource>(mallard::numa_options{});
}

TEST(refused_calls, of_shared_memory) {
  refuse_each_call_of<mallard::shared_resource>(mallard::shared_options{});
}

// A file that could not be made is not left half made for a later user.
TEST(refused_calls, of_files) {
  const std::string path = mallard::scratch_path("file").string();
  refuse_each_call([&] {
    unlink(path.c_str());
    mallard::file_resource file(path.c_str(), {.limit_bytes = std::size_t{16} << 20});
    use(file);
  });
  refuse_each_call([&] {
    mallard::file_resource file(path.c_str());
    use(file);
    file.verify();
  });
  unlink(path.c_str());
}

TEST(ended_processes, leave_a_file_that_the_next_one_makes_or_recovers) {
  const std::string path = mallard::scratch_path("file").string();
  for (int n = 0;; ++n) {
    ASSERT_LT(n, 100);
    unlink(path.c_str());
    const auto maker = mallard_test::run_forked([&] {
      calls_until_end = n;
      mallard::file_resource file(path.c_str(), {.limit_bytes = std::size_t{16} << 20});
    });
    mallard::file_resource file(path.c_str(), {.recover = true});
    EXPECT_TRUE(n != 0 || file.is_new());
    use(file);
    file.verify();
    if (maker.passed) break;
  }
  unlink(path.c_str());
}

TEST(refused_calls, of_a_pool_above) {
  refuse_each_call([] {
    mallard::mapped_resource pages;
    mallard::multipool_resource pool(&pages);
    use(pool);
  });
}

TEST(refused_calls, to_protect_change_nothing) {
  mallard::protected_resource resource;
  auto* const p = static_cast<char*>(resource.allocate(100));
  for_good = false;
  calls_until_refusal = 0;
  EXPECT_THROW(resource.protect(), mallard::memory_error);
  EXPECT_EQ(resource.access(), mallard::page_access::writable);
  p[0] = 'x';
  resource.protect();
  calls_until_refusal = 0;
  EXPECT_THROW(resource.unprotect(), mallard::memory_error);
  EXPECT_EQ(resource.access(), mallard::page_access::read_only);
  EXPECT_EQ(p[0], 'x');
  resource.unprotect();
  p[0] = 'y';
}

}  // namespace
