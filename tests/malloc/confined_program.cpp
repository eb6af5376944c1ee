// Allocates in a process to which the system gives less than usual: the argument says what of. Says
// what went wrong, and ends with 1 then.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/addresses.hpp"
#include "support/footprint.hpp"
#include "support/require.hpp"

namespace {

using mallard_test::all_bytes_are;
using mallard_test::require;
using mallard_test::status_bytes;

constexpr std::size_t mib = std::size_t{1} << 20;

// From now on the system call has this effect instead of its own.
void filter_call(unsigned number, unsigned effect) {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, effect),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program{sizeof filter / sizeof filter[0], filter};
  require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no new privileges");
  require(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0, "no filter");
}

// From now on the system call gives the error.
void refuse_call(unsigned number, unsigned error) {
  filter_call(number, SECCOMP_RET_ERRNO | error);
}

void set_limit(decltype(RLIMIT_AS) what, std::size_t bytes) {
  const rlimit limit{bytes, bytes};
  require(setrlimit(what, &limit) == 0, "no limit");
}

unsigned char* block(std::size_t bytes) {
  auto* const p = static_cast<unsigned char*>(std::malloc(bytes));
  require(p != nullptr, "out of memory, bytes: ", bytes);
  p[0] = p[bytes - 1] = 1;
  return p;
}

// Blocks of one size get nearly all of the 256 MiB of addresses that the shell leaves, and again
// once they were freed.
void fill_addresses(std::size_t bytes) {
  const char* const least = std::getenv("LEAST_MIB");
  require(least != nullptr, "LEAST_MIB is not set");
  std::vector<void*> blocks(256 * mib / bytes);
  for (int round = 0; round < 2; ++round) {
    std::size_t count = 0;
    while (count != blocks.size() && (blocks[count] = std::malloc(bytes)) != nullptr) {
      static_cast<char*>(blocks[count++])[bytes - 1] = 1;
    }
    for (std::size_t i = 0; i < count; ++i) std::free(blocks[i]);
    require(count * bytes / mib >= std::strtoul(least, nullptr, 10), "blocks of ", bytes,
            " bytes came to MiB: ", count * bytes / mib);
  }
}

void grow_step_by_step() {
  unsigned char* p = block(9 * mib);
  for (std::size_t bytes = 10 * mib; bytes < 60 * mib; bytes += 5 * mib) {
    auto* const now = static_cast<unsigned char*>(std::realloc(p, bytes));
    require(now != nullptr, "realloc refused, bytes: ", bytes);
    p = now;
    require(p[0] == 1 && p[9 * mib - 1] == 1, "the contents were lost");
    p[bytes - 1] = 2;
  }
  p = static_cast<unsigned char*>(std::realloc(p, 100));
  require(p != nullptr && p[0] == 1, "shrinking went wrong");
  std::free(p);
}

// Blocks of all kinds, which are free then.
void keep_much() {
  std::vector<void*> blocks(4'000);
  for (void*& p : blocks) p = block(50'000);
  for (void* p : blocks) std::free(p);
  for (void*& p : blocks) p = block(100'000);
  for (void* p : blocks) std::free(p);
  std::free(block(100 * mib));
  grow_step_by_step();
}

// Half as many bytes again do not fit, which are asked for so that it seldom has to move.
void grow_without_room_to_spare() {
  unsigned char* p = block(200 * mib);
  set_limit(RLIMIT_AS, status_bytes("VmSize") + 290 * mib);
  p = static_cast<unsigned char*>(std::realloc(p, 210 * mib));
  require(p != nullptr, "refused");
  require(p[0] == 1 && p[200 * mib - 1] == 1, "the contents were lost");
  std::free(p);
}

// Blocks linked by their first words, so that nothing else is needed to hold on to them.
struct chain {
  void** first = nullptr;
  std::size_t count = 0;

  // Until there is no memory.
  void fill(std::size_t bytes) {
    while (auto* const p = static_cast<void**>(std::malloc(bytes))) {
      *p = first;
      first = p;
      ++count;
    }
    require(errno == ENOMEM, "not told by ENOMEM");
  }
  void free_all() {
    while (first != nullptr) std::free(std::exchange(first, static_cast<void**>(*first)));
  }
};

// Takes of each size as much as there is, so that no larger free block is left.
void exhaust(std::array<chain, 8>& chains) {
  std::size_t bytes = 32 * mib;
  for (chain& c : chains) {
    c.fill(bytes);
    bytes /= 8;
    if (bytes < 16) break;
  }
}

// The end of one segment is of use with the next one.
void fill_limit_of_64_mib() {
  std::size_t blocks = 0;
  while (std::malloc(mib) != nullptr) ++blocks;
  require(blocks >= 56, "blocks of a MiB: ", blocks);
}

void shrink_when_exhausted() {
  constexpr std::size_t bytes[] = {12 * mib, 5 * mib, 300'000, 100'000, 20'000, 2'000, 200};
  constexpr std::size_t smaller[] = {4'000'000, 290'000, 50'000, 700, 48};
  for (const std::size_t to : smaller) {
    unsigned char* blocks[std::size(bytes)];
    for (std::size_t i = 0; i < std::size(bytes); ++i) blocks[i] = block(bytes[i]);
    std::array<chain, 8> chains;
    exhaust(chains);
    for (std::size_t i = 0; i < std::size(bytes); ++i) {
      if (to > bytes[i]) continue;
      auto* const p = static_cast<unsigned char*>(std::realloc(blocks[i], to));
      require(p != nullptr, "refused to make smaller: ", bytes[i], " to ", to);
      require(p[0] == 1, "the contents were lost");
      require(malloc_usable_size(p) >= to, "too small: ", bytes[i], " to ", to);
      blocks[i] = p;
    }
    for (chain& c : chains) c.free_all();
    for (unsigned char* p : blocks) std::free(p);
  }
}

// Memory that one size took another one gets, up to the largest that can fit.
void use_again_what_was_freed(std::size_t limited) {
  for (const std::size_t bytes : {2'000ul, 200'000ul, mib, 20 * mib}) {
    chain c;
    c.fill(bytes);
    const std::size_t had = c.count * bytes;
    c.free_all();
    require(had >= limited / 2, "there were only ", had, " in blocks of ", bytes);
    for (const std::size_t large : {limited / 8, limited / 2}) std::free(block(large));
  }
}

void live_with_limited_addresses() {
  constexpr std::size_t limited = 400 * mib;
  set_limit(RLIMIT_AS, status_bytes("VmSize") + limited);
  use_again_what_was_freed(limited);
}

// Addresses at the end of a region that are not in use yet serve a mapping.
void take_nearly_all_addresses_at_once() {
  block(100);
  set_limit(RLIMIT_AS, status_bytes("VmSize") + 100 * mib);
  std::free(block(150 * mib));
}

void live_with_limited_data() {
  constexpr std::size_t limited = 150 * mib;
  set_limit(RLIMIT_DATA, status_bytes("VmData") + limited);
  use_again_what_was_freed(limited);
}

void use_all_kinds(std::size_t largest = 10 * mib) {
  for (const std::size_t bytes : {10ul, 1'000ul, 30'000ul, 300'000ul, largest}) {
    unsigned char* blocks[3];
    for (unsigned char*& p : blocks) p = block(bytes);
    for (unsigned char*& p : blocks) p = static_cast<unsigned char*>(std::realloc(p, bytes * 2));
    for (unsigned char* p : blocks) {
      require(p != nullptr && p[0] == 1 && p[bytes - 1] == 1, "the contents were lost");
      std::free(p);
    }
  }
}

constexpr std::size_t overhead_when_locked = 12 * mib;

// Everything stays in memory: what is not used yet should not be there.
void live_locked_in_memory() {
  const std::size_t before = status_bytes("VmRSS");
  require(mlockall(MCL_CURRENT | MCL_FUTURE) == 0, "not locked: ", errno);
  for (const std::size_t bytes : {10ul, 1'000ul, 30'000ul, 300'000ul}) block(bytes);
  const std::size_t taken = status_bytes("VmRSS") - before;
  require(taken < overhead_when_locked, "taken for four blocks: ", taken);
  use_all_kinds();
}

void trim_locked_memory() {
  void* const page =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const std::size_t before = status_bytes("VmRSS");
  require(mlockall(MCL_CURRENT | MCL_FUTURE) == 0, "not locked: ", errno);
  constexpr int dontneed_locked = 24;
  if (madvise(page, 4096, dontneed_locked) != 0) return;  // before Linux 5.18
  std::vector<void*> blocks(100'000);
  for (void*& p : blocks) p = block(1'000);
  for (void* p : blocks) std::free(p);
  malloc_trim(0);
  const std::size_t left = status_bytes("VmRSS") - before;
  require(left < overhead_when_locked, "left: ", left);
}

// Nor what is only there for a moment, while a place for a mapping is looked for.
void map_locked_in_memory() {
  const std::size_t before = status_bytes("VmRSS");
  require(mlockall(MCL_CURRENT | MCL_FUTURE) == 0, "not locked: ", errno);
  for (int i = 0; i < 12; ++i) block(9 * mib);
  const std::size_t most = status_bytes("VmHWM") - before;
  require(most < 12 * 9 * mib + 10 * mib + overhead_when_locked, "there were at most ", most);
}

void live_with_little_locked() {
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  const std::size_t limited = std::min<std::size_t>(limit.rlim_max, 64 * mib);
  set_limit(RLIMIT_MEMLOCK, limited);
  // A process that may do everything may lock everything.
  if (getuid() == 0) require(setuid(65534) == 0, "still root");
  require(mlockall(MCL_FUTURE) == 0, "not locked: ", errno);
  // Memory that is there already does not count.
  for (std::size_t bytes = 0; bytes < 62 * mib + limited / 8; bytes += 1'000) block(1'000);
  for (int i = 0; i < 10; ++i) std::free(block(2'000));
}

// Free pages go back from between blocks of which every byte is looked at.
void give_back_between(std::size_t bytes, int count) {
  std::vector<unsigned char*> blocks;
  for (int i = 0; i < count; ++i) {
    blocks.push_back(block(bytes));
    std::memset(blocks.back(), i % 250 + 1, bytes);
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i % 4 != 0) std::free(std::exchange(blocks[i], nullptr));
  }
  malloc_trim(0);
  for (std::size_t i = 0; i < blocks.size(); i += 4) {
    require(all_bytes_are(blocks[i], bytes, static_cast<unsigned char>(i % 250 + 1)),
            "changed, of bytes: ", bytes);
    std::free(blocks[i]);
  }
}

void live_with_large_pages() {
  require(sysconf(_SC_PAGESIZE) > 4096, "the pages are small");
  for (const std::size_t bytes : {100ul, 3'000ul, 9'000ul, 30'000ul, 70'000ul, 200'000ul}) {
    give_back_between(bytes, static_cast<int>(20 * mib / bytes));
  }
  for (std::size_t bytes = 270'000; bytes < 2'000'000; bytes += 123'456) {
    give_back_between(bytes, 40);
  }
  const std::size_t mapped = status_bytes("VmSize");
  for (int i = 0; i < 20; ++i) {
    unsigned char* p = block(40 * mib + 5'000);
    std::memset(p, 3, 30 * mib);
    p = static_cast<unsigned char*>(std::realloc(p, 12 * mib + 7'000));
    require(all_bytes_are(p, 12 * mib, 3), "changed by shrinking");
    std::free(p);
  }
  malloc_trim(0);
  require(status_bytes("VmSize") < mapped + 30 * mib, "addresses were lost");
  grow_step_by_step();
}

void impossible_requests_beside() {
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) std::free(std::malloc(std::size_t{1} << 46));
  });
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    void* const p = std::malloc(9 * mib);
    if (p == nullptr) ++refused;
    std::free(p);
  }
  stop = true;
  other.join();
  require(refused == 0, "refused of 20000: ", refused);
}

// With a limit of 26 MiB: what blocks were freed is there for the next one.
void serve_all_with_what_was(std::size_t bytes) {
  std::vector<unsigned char*> blocks(16 * mib / bytes);
  for (unsigned char*& p : blocks) p = block(bytes);
  for (unsigned char* p : blocks) std::free(p);
  block(23 * mib);
}

// More than there could be if each had two mappings, of which a process may have 65,530.
void hold_many_large_blocks() {
  constexpr std::size_t count = 40'000;
  constexpr std::size_t bytes = 300'000;
  std::vector<void*> blocks(count);
  const std::size_t before = status_bytes("VmSize");
  for (std::size_t i = 0; i < count; ++i) {
    blocks[i] = std::malloc(bytes);
    require(blocks[i] != nullptr, "refused after ", i);
  }
  const std::size_t with = status_bytes("VmSize");
  require(with < before + count * bytes * 2, "mapped for blocks: ", with - before);
  for (void* p : blocks) std::free(p);
}

// The next one takes a mapping that is kept, but begins more than a region behind its start if it
// takes all of it.
void take_kept_mappings_of_hundreds_of_mib() {
  for (const std::size_t bytes : {600 * mib, 535 * mib, 900 * mib, 830 * mib}) {
    unsigned char* p = block(bytes);
    require(malloc_usable_size(p) >= bytes, "too small: ", bytes);
    p = static_cast<unsigned char*>(std::realloc(p, bytes + mib));
    require(p != nullptr && p[0] == 1 && p[bytes - 1] == 1, "the contents were lost");
    std::free(p);
  }
}

// A child that writes behind a large block dies of it.
void fault_without_mprotect() {
  refuse_call(SYS_mprotect, EPERM);
  unsigned char* p = block(300'000);
  for (int i = 0; i < 2; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      p[malloc_usable_size(p) + 16] = 1;
      _exit(0);
    }
    int status = 0;
    require(waitpid(child, &status, 0) == child, "no child");
    require(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "no fault");
    p = static_cast<unsigned char*>(std::realloc(p, 900'000));
  }
  std::free(p);
}

// Ends with free memory, and dies if that goes back one part after the other.
void end_with_free_memory() {
  std::vector<unsigned char*> blocks(10'000);
  std::generate(blocks.begin(), blocks.end(), [] { return block(1'000); });
  for (unsigned char* const p : blocks) std::free(p);
  filter_call(SYS_madvise, SECCOMP_RET_KILL_PROCESS);
  filter_call(SYS_munmap, SECCOMP_RET_KILL_PROCESS);
}

const std::map<std::string, std::function<void()>> confinements = {
    {"mremap_forbidden",
     [] {
       refuse_call(SYS_mremap, EPERM);
       grow_step_by_step();
     }},
    {"mremap_unknown",
     [] {
       refuse_call(SYS_mremap, ENOSYS);
       grow_step_by_step();
     }},
    {"mremap_out_of_memory",
     [] {
       refuse_call(SYS_mremap, ENOMEM);
       grow_step_by_step();
     }},
    {"room_for_growth_limited", grow_without_room_to_spare},
    {"mprotect_forbidden",
     [] {
       refuse_call(SYS_mprotect, EPERM);
       use_all_kinds();
       for (int i = 0; i < 100'000; ++i) block(1'000);
       grow_step_by_step();
     }},
    {"limits_forbidden",
     [] {
       filter_call(SYS_prlimit64, SECCOMP_RET_KILL_PROCESS);
       keep_much();
     }},
    {"limits_and_usage_forbidden",
     [] {
       filter_call(SYS_getrusage, SECCOMP_RET_KILL_PROCESS);
       filter_call(SYS_prlimit64, SECCOMP_RET_KILL_PROCESS);
       keep_much();
     }},
    {"random_bytes_forbidden",
     [] {
       filter_call(SYS_getrandom, SECCOMP_RET_KILL_PROCESS);
       std::thread(keep_much).join();
     }},
    {"files_forbidden",
     [] {
       filter_call(SYS_openat, SECCOMP_RET_KILL_PROCESS);
       keep_much();
       // More than a quarter of the mappings that a process usually may have.
       std::vector<void*> huge(17'000);
       for (void*& p : huge) p = std::malloc(9 * mib);
       for (void* p : huge) std::free(p);
     }},
    {"mprotect_forbidden_to_guards", fault_without_mprotect},
    {"kept_mappings_of_hundreds_of_mib", take_kept_mappings_of_hundreds_of_mib},
    {"large_pages", live_with_large_pages},
    {"addresses_limited", live_with_limited_addresses},
    {"addresses_taken_at_once", take_nearly_all_addresses_at_once},
    {"addresses_filled_by_1_kb", [] { fill_addresses(1000); }},
    {"addresses_filled_by_1_mib", [] { fill_addresses(mib); }},
    {"addresses_filled_by_3_mib", [] { fill_addresses(3 * mib); }},
    {"addresses_filled_by_5_mib", [] { fill_addresses(5 * mib); }},
    {"addresses_limited_late",
     [] {
       std::free(block(100));
       set_limit(RLIMIT_AS, 256 * mib);
       fill_addresses(4 * mib);
     }},
    {"ends_with_free_memory", end_with_free_memory},
    {"data_limited", live_with_limited_data},
    {"few_addresses", [] { use_all_kinds(mib); }},
    {"locked", live_locked_in_memory},
    {"mappings_locked", map_locked_in_memory},
    {"locked_and_trimmed", trim_locked_memory},
    {"lock_limited", live_with_little_locked},
    {"limit_filled_by_1_mib", fill_limit_of_64_mib},
    {"shrink_when_exhausted", shrink_when_exhausted},
    {"blocks_of_20_kb_before", [] { serve_all_with_what_was(20'000); }},
    {"blocks_of_256_kib_before", [] { serve_all_with_what_was(mib / 4); }},
    {"blocks_of_7_mib_before", [] { serve_all_with_what_was(7 * mib); }},
    {"impossible_requests_beside", impossible_requests_beside},
    {"many_large_blocks", hold_many_large_blocks},
};

}  // namespace

int main(int argc, char** argv) {
  const auto at = argc == 2 ? confinements.find(argv[1]) : confinements.end();
  if (at == confinements.end()) {
    std::fputs("usage: malloc_confined_program CONFINEMENT\n", stderr);
    return 2;
  }
  try {
    at->second();
  } catch (const mallard_test::check_failure& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
