// Functions of newer glibcs that ours and gcc's own libraries call, for a program that runs with an older one.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Since 2.36. The C++ library's random_device calls it.
uint32_t arc4random(void) {
  uint32_t drawn = 0;
  if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn) abort();
  return drawn;
}

// Since 2.30.
pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }

// Since 2.30. std::condition_variable waits by the steady clock; a condition here waits by the real one, for as long.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* until) {
  struct timespec now, real;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &real);
  real.tv_sec += until->tv_sec - now.tv_sec;
  real.tv_nsec += until->tv_nsec - now.tv_nsec;
  if (real.tv_nsec < 0) {
    real.tv_sec -= 1;
    real.tv_nsec += 1000000000;
  } else if (real.tv_nsec >= 1000000000) {
    real.tv_sec += 1;
    real.tv_nsec -= 1000000000;
  }
  return pthread_cond_timedwait(condition, mutex, &real);
}

// Since 2.32. Without it, reference counts are atomic always.
char __libc_single_threaded = 0;

// Since 2.35. gcc's unwinder asks for the module of an address, and has no other way when it was built with such a
// glibc. The search is what it did before, one module after the other.
struct search {
  uintptr_t address;
  struct dl_find_object* found;
};

static int look(struct dl_phdr_info* module, size_t size, void* argument) {
  (void)size;
  struct search* const search = argument;
  uintptr_t begin = UINTPTR_MAX;
  uintptr_t end = 0;
  int is_inside = 0;
  const void* frames = NULL;
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const ElfW(Phdr)* const part = &module->dlpi_phdr[i];
    const uintptr_t from = module->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_LOAD) {
      if (from < begin) begin = from;
      if (from + part->p_memsz > end) end = from + part->p_memsz;
      if (search->address - from < part->p_memsz) is_inside = 1;
    } else if (part->p_type == PT_GNU_EH_FRAME) {
      frames = (const void*)from;
    }
  }
  if (!is_inside || frames == NULL) return 0;
  search->found->dlfo_flags = 0;
  search->found->dlfo_map_start = (void*)begin;
  search->found->dlfo_map_end = (void*)end;
  search->found->dlfo_link_map = NULL;
  search->found->dlfo_eh_frame = (void*)frames;
  return 1;
}

int _dl_find_object(void* address, struct dl_find_object* result) {
  struct search search = {(uintptr_t)address, result};
  return dl_iterate_phdr(look, &search) == 1 ? 0 : -1;
}
