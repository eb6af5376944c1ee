// A program whose dimensions are known from its text: planted_program KIND. Nothing but the
// functions below allocates.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

namespace {

constexpr int count = 4096;
// Volatile, lest the compiler leaves out blocks that nobody uses.
void* volatile small_blocks[count];
void* volatile large_blocks[count];

[[gnu::noinline]] void allocate_small(int i) {
  small_blocks[i] = malloc(64);
}

[[gnu::noinline]] void allocate_large(int i) {
  large_blocks[i] = malloc(4000);
}

[[gnu::noinline]] void allocate_alike(int i) {
  large_blocks[i] = malloc(64);
}

void free_all(void* volatile* blocks, int n) {
  for (int i = 0; i < n; ++i) free(blocks[i]);
}

// Eight sizes, each as often, none in another's class.
[[gnu::noinline]] void sizes() {
  for (int i = 0; i < count; ++i) small_blocks[i] = malloc(size_t{32} << i % 8);
  free_all(small_blocks, count);
}

// All blocks of a round live at its end, and none behind it.
[[gnu::noinline]] void rounds() {
  for (int round = 0; round < 128; ++round) {
    for (int i = 0; i < 32; ++i) small_blocks[i] = malloc(100);
    free_all(small_blocks, 32);
  }
}

// The last one is alive until the next one is.
[[gnu::noinline]] void relay() {
  void* last = malloc(100);
  for (int i = 1; i < count; ++i) {
    void* const next = malloc(100);
    free(last);
    last = next;
  }
  free(last);
}

// Clearing the block takes most of the time, so the samples of it are in the heap.
[[gnu::noinline]] void pairs() {
  for (int i = 0; i < 400000; ++i) {
    void* volatile block = calloc(1, 60000);
    free(block);
  }
}

pthread_t start_pairs() {
  pthread_t thread;
  const auto run = [](void*) -> void* {
    pairs();
    return nullptr;
  };
  pthread_create(&thread, nullptr, run, nullptr);
  return thread;
}

}  // namespace

int main(int argc, char** argv) {
  const char* const kind = argc > 1 ? argv[1] : "";
  if (strcmp(kind, "sizes") == 0) {
    sizes();
  } else if (strcmp(kind, "rounds") == 0) {
    rounds();
  } else if (strcmp(kind, "relay") == 0) {
    relay();
  } else if (strcmp(kind, "threads_at_once") == 0) {
    const pthread_t other = start_pairs();
    pthread_join(start_pairs(), nullptr);
    pthread_join(other, nullptr);
  } else if (strcmp(kind, "threads_one_by_one") == 0) {
    for (int i = 0; i < 2; ++i) pthread_join(start_pairs(), nullptr);
  } else if (strcmp(kind, "by_turns") == 0) {
    for (int i = 0; i < count; ++i) {
      allocate_small(i);
      allocate_large(i);
    }
  } else if (strcmp(kind, "alike_by_turns") == 0) {
    for (int i = 0; i < count; ++i) {
      allocate_small(i);
      allocate_alike(i);
    }
  } else if (strcmp(kind, "alike_in_runs") == 0) {
    for (int i = 0; i < count; ++i) {
      if (i / 128 % 2 == 0) {
        allocate_small(i);
      } else {
        allocate_alike(i);
      }
    }
  } else {
    return 1;
  }
  return 0;
}
