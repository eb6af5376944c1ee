// Functions of newer glibcs that ours and gcc's own libraries call, for a program that runs with an older one.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
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

// Since 2.35. gcc's unwinder and the recorder ask for the module of an address, and have no other way when they were
// built with such a glibc. Where the glibc has it, it is that one; else the search is what the unwinder did before, one
// module after the other. No other thread changes the list of modules meanwhile.
typedef int find_object(void*, struct dl_find_object*);
static find_object* of_glibc = NULL;

__attribute__((constructor)) static void find_that_of_glibc(void) {
  of_glibc = (find_object*)dlvsym(RTLD_DEFAULT, "_dl_find_object", "GLIBC_2.35");
  if (of_glibc == NULL) dlerror();  // nobody else's
}

static struct link_map* map_of(const struct dl_phdr_info* module) {
  for (struct link_map* map = _r_debug.r_map; map != NULL; map = map->l_next) {
    if (map->l_addr == module->dlpi_addr && strcmp(map->l_name, module->dlpi_name) == 0) return map;
  }
  return NULL;
}

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
  search->found->dlfo_link_map = map_of(module);
  search->found->dlfo_eh_frame = (void*)frames;
  return 1;
}

int _dl_find_object(void* address, struct dl_find_object* result) {
  if (of_glibc != NULL) return of_glibc(address, result);
  struct search search = {(uintptr_t)address, result};
  return dl_iterate_phdr(look, &search) == 1 ? 0 : -1;
}
