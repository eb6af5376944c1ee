// A program that names at most one function of the static malloc, and not `malloc`: even so the
// process's malloc and free are those of the program.
#include <dlfcn.h>

#include <cstdio>
#include <initializer_list>
#include <new>

#include "mallard/malloc/malloc.h"

int main() {
  static_cast<void>(MALLARD_CALL);
  Dl_info program{};
  dladdr(reinterpret_cast<void*>(&main), &program);
  for (const char* const name : {"malloc", "free", "calloc", "realloc", "posix_memalign"}) {
    Dl_info of{};
    if (dladdr(dlsym(RTLD_DEFAULT, name), &of) == 0 || of.dli_fbase != program.dli_fbase) {
      std::printf("%s is not the program's\n", name);
      return 1;
    }
  }
}
