// Runs a program as Linux 4.18 would: old_kernel PROGRAM [ARGUMENT]...
//
// A seccomp filter gives the errors of a kernel that does not know them yet to the calls that came
// after it, by number, and to what later kernels taught older calls: flags of mremap and
// memfd_create, advice of madvise, names of mappings, the scan of a page map. Children inherit it.
// It cannot take away what no call asks for: files of /proc, and how a call that both kernels know
// behaves.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

namespace {

constexpr unsigned newest_call = 334;  // rseq
constexpr unsigned newest_advice =
    19;  // MADV_KEEPONFORK; above are COLD, PAGEOUT, POPULATE, COLLAPSE
constexpr unsigned keep_addresses = 4;          // MREMAP_DONTUNMAP
constexpr unsigned memfd_flags_since = 0x18;    // MFD_NOEXEC_SEAL, MFD_EXEC
constexpr unsigned set_vma = 0x53564d41;        // PR_SET_VMA
constexpr unsigned scan_page_map = 0xc0606610;  // PAGEMAP_SCAN

class filter_program {
 public:
  filter_program() { load(offsetof(seccomp_data, nr)); }

  // Calls of larger numbers fail.
  void refuse_above(unsigned number, unsigned error) {
    add(BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, number, 0, 1));
    give(error);
  }
  // The call fails where its argument compares so with the value: BPF_JEQ, BPF_JGT or BPF_JSET.
  void refuse(unsigned call, unsigned argument, unsigned compare, unsigned value, unsigned error) {
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4));
    load(offsetof(seccomp_data, args) + argument * sizeof(__u64));
    add(BPF_JUMP(BPF_JMP | compare | BPF_K, value, 0, 1));
    give(error);
    add(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  bool install() {
    add(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    const sock_fprog program{static_cast<unsigned short>(steps_.size()), steps_.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  }

 private:
  void add(sock_filter step) { steps_.push_back(step); }
  void load(std::size_t at) { add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(at))); }
  void give(unsigned error) { add(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error)); }

  std::vector<sock_filter> steps_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("old_kernel: no program is named\n", stderr);
    return 2;
  }
  filter_program filter;
  filter.refuse_above(newest_call, ENOSYS);
  filter.refuse(SYS_madvise, 2, BPF_JGT, newest_advice, EINVAL);
  filter.refuse(SYS_mremap, 3, BPF_JSET, keep_addresses, EINVAL);
  filter.refuse(SYS_memfd_create, 1, BPF_JSET, memfd_flags_since, EINVAL);
  filter.refuse(SYS_prctl, 0, BPF_JEQ, set_vma, EINVAL);
  filter.refuse(SYS_ioctl, 1, BPF_JEQ, scan_page_map, ENOTTY);
  if (!filter.install()) {
    std::perror("old_kernel: no filter");
    return 126;
  }
  constexpr long clone3 = 435;
  if (syscall(clone3, nullptr, 0) != -1 || errno != ENOSYS) {
    std::fputs("old_kernel: clone3 is not refused\n", stderr);
    return 126;
  }
  execvp(argv[1], argv + 1);
  std::perror(argv[1]);
  return 127;
}
