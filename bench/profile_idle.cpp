// Purpose: loops with and without the calls of mallard/profile.hpp, whose instructions
// record_run.sh counts where nobody records.
//
//   mallard_profile_idle none|scope|pause ROUNDS
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "mallard/profile.hpp"

namespace {

// Work that stays, whatever is around it.
void work() {
  asm volatile("" ::: "memory");
}

void plain_rounds(int rounds) {
  for (int i = 0; i < rounds; ++i) work();
}

void scoped_rounds(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    MALLARD_SCOPE("round");
    work();
  }
}

void paused_rounds(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    mallard::profile::pause();
    work();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc == 3 ? argv[1] : "";
  void (*const loop)(int) = what == "none"    ? plain_rounds
                            : what == "scope" ? scoped_rounds
                            : what == "pause" ? paused_rounds
                                              : nullptr;
  if (loop == nullptr) {
    std::fprintf(stderr, "usage: %s none|scope|pause ROUNDS\n", argv[0]);
    return 2;
  }
  loop(std::atoi(argv[2]));
}
