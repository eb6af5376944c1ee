// Purpose: what a malloc holds of the machine's memory, and that a fork does not hang it.
//
//   LD_PRELOAD=libother.so mallard_malloc_probes PROBE
// runs one probe and prints "name value unit" for each figure. bench/malloc_probes.sh prints the
// table of all probes over all mallocs that are installed. State of the probes themselves is
// mapped, and taken off the figures: only what is probed is allocated.
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

namespace {

// The step of splitmix64.
struct random_numbers {
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  std::size_t between(std::size_t low, std::size_t high) { return low + next() % (high - low + 1); }
};

// Sizes of which every octave gets the same share of the bytes: many small ones, few large ones.
std::size_t mixed_size(random_numbers& random, std::size_t low, std::size_t high) {
  const double most = 1 / static_cast<double>(low);
  const double least = 1 / static_cast<double>(high);
  return static_cast<std::size_t>(1 / (least + random.unit() * (most - least)));
}

// A table in pages of its own.
template <class T>
class mapped {
 public:
  explicit mapped(std::size_t count) : count_(count) {
    void* memory = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED) {
      std::perror("mmap");
      std::_Exit(1);
    }
    data_ = new (memory) T[count]();
  }
  ~mapped() { munmap(data_, count_ * sizeof(T)); }
  mapped(const mapped&) = delete;
  mapped& operator=(const mapped&) = delete;

  T& operator[](std::size_t i) { return data_[i]; }
  T* begin() { return data_; }

 private:
  T* data_;
  std::size_t count_;
};

// Nobody may guess what is done with the pointer.
void use(void* block) {
  asm volatile("" : : "r"(block) : "memory");
}

void* written(void* block, std::size_t bytes) {
  if (!block) {
    std::fputs("out of memory\n", stderr);
    std::_Exit(1);
  }
  use(std::memset(block, 1, bytes));
  return block;
}

struct footprint {
  double resident;
  double address_space;
};

double processor_us() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
}

// Without allocating anything.
footprint read_footprint() {
  char text[128];
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  const ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  if (length <= 0) return {};
  text[length] = '\0';
  char* rest = nullptr;
  const double pages = static_cast<double>(std::strtoull(text, &rest, 10));
  const double resident = static_cast<double>(std::strtoull(rest, nullptr, 10));
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  return {resident * page, pages * page};
}
double resident() {
  return read_footprint().resident;
}

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

constexpr double mebi = 1 << 20;

void print(const char* name, double value, const char* unit) {
  std::printf("%s %.4g %s\n", name, value, unit);
}

// A program that does next to nothing.
void tiny() {
  void* block = written(std::malloc(100), 100);
  const footprint small = read_footprint();
  std::free(block);
  print("tiny_rss", small.resident / 1024, "KiB");
  print("tiny_vsz", small.address_space / mebi, "MiB");
}

// Processes that end at once: the median time from start to end.
void starts() {
  constexpr std::size_t count = 501;
  std::array<double, count> seconds{};
  char name[] = "/bin/true";
  char* arguments[] = {name, nullptr};
  for (double& one : seconds) {
    const double start = now();
    pid_t process = 0;
    if (posix_spawn(&process, name, nullptr, nullptr, arguments, environ) != 0) return;
    waitpid(process, nullptr, 0);
    one = now() - start;
  }
  std::nth_element(seconds.begin(), seconds.begin() + count / 2, seconds.end());
  print("start", seconds[count / 2] * 1e6, "us");
}

// 512 MiB from 16 B to 64 KiB, all freed again, and nothing done for three seconds.
void freed() {
  constexpr std::size_t bytes = std::size_t{512} << 20;
  constexpr std::size_t most = bytes / 64;
  mapped<void*> live(most);
  random_numbers random{1};
  const double before = resident();
  std::size_t count = 0;
  for (std::size_t sum = 0; sum < bytes && count < most; ++count) {
    const std::size_t size = mixed_size(random, 16, 65536);
    live[count] = written(std::malloc(size), size);
    sum += size;
  }
  print("live_512", (resident() - before) / mebi, "MiB");
  for (std::size_t i = 0; i < count; ++i) std::free(live[i]);
  print("freed_at_once", (resident() - before) / mebi, "MiB");
  sleep(3);
  print("freed_idle_3s", (resident() - before) / mebi, "MiB");
  for (int i = 0; i < 100; ++i) std::free(written(std::malloc(64), 64));
  print("freed_then_used", (resident() - before) / mebi, "MiB");
}

// 256 MiB of small blocks, nine of ten freed at random, then 230 MiB of larger ones.
void fragmented() {
  constexpr std::size_t first = std::size_t{256} << 20;
  constexpr std::size_t second = std::size_t{230} << 20;
  constexpr std::size_t most = first / 64;
  mapped<void*> live(most);
  random_numbers random{2};
  const double before = resident();
  std::size_t count = 0;
  for (std::size_t sum = 0; sum < first && count < most; ++count) {
    const std::size_t size = random.between(64, 512);
    live[count] = written(std::malloc(size), size);
    sum += size;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (random.next() % 10 != 0) std::free(live[i]);
  }
  print("fragmented_10_percent", (resident() - before) / mebi, "MiB");
  for (std::size_t sum = 0; sum < second;) {
    const std::size_t size = random.between(520, 1024);
    written(std::malloc(size), size);
    sum += size;
  }
  print("fragmented_refilled", (resident() - before) / mebi, "MiB");
}

// Twelve times 128 MiB of one size, freed before the next.
void phases() {
  constexpr std::size_t bytes = std::size_t{128} << 20;
  constexpr std::size_t sizes[] = {16, 24, 48, 96, 160, 320, 640, 1280, 2560, 5120, 10240, 40960};
  mapped<void*> live(bytes / sizes[0]);
  const double before = resident();
  double peak = 0;
  for (const std::size_t size : sizes) {
    const std::size_t count = bytes / size;
    for (std::size_t i = 0; i < count; ++i) live[i] = written(std::malloc(size), size);
    peak = std::max(peak, resident() - before);
    for (std::size_t i = 0; i < count; ++i) std::free(live[i]);
  }
  print("phases_peak", peak / mebi, "MiB");
}

// 500 threads with 20 small blocks each, alive all together.
void many_threads() {
  constexpr unsigned threads = 500;
  constexpr std::size_t sizes[] = {16, 24, 32, 48, 64, 80, 96, 128, 160, 200};
  static std::atomic<unsigned> waiting{0};
  static std::atomic<unsigned> done{0};
  static std::atomic<bool> go{false};
  static std::atomic<bool> end{false};
  mapped<std::thread> team(threads);
  for (unsigned i = 0; i < threads; ++i) {
    team[i] = std::thread([&] {
      // As deep as an allocator may go, so that its stack is not counted as memory of the heap.
      char stack[8192];
      use(std::memset(stack, 0, sizeof stack));
      ++waiting;
      while (!go) usleep(1000);
      for (int round = 0; round < 2; ++round) {
        for (const std::size_t size : sizes) written(std::malloc(size), size);
      }
      ++done;
      while (!end) usleep(10'000);
    });
  }
  while (waiting < threads) usleep(1000);
  const double before = resident();
  go = true;
  while (done < threads) usleep(1000);
  print("per_thread", (resident() - before) / 1024 / threads, "KiB");
  end = true;
  for (unsigned i = 0; i < threads; ++i) team[i].join();
}

// 3,000 threads one after the other, each leaves one block behind.
void short_threads() {
  const double before = resident();
  for (int i = 0; i < 3000; ++i) {
    std::thread([&] {
      written(std::malloc(64), 64);
      for (int k = 0; k < 50; ++k) std::free(written(std::malloc(100), 100));
    }).join();
  }
  print("short_threads", (resident() - before) / mebi, "MiB");
}

// One producer's blocks on their way to the one who frees.
struct alignas(128) ring {
  static constexpr std::size_t slots = 1 << 17;
  void* blocks[slots];
  alignas(128) std::atomic<std::size_t> put;
  alignas(128) std::atomic<std::size_t> taken;
};

// Eight threads allocate, one that never allocated frees; 90 MiB are live.
void remote() {
  constexpr unsigned producers = 8;
  constexpr std::size_t live = std::size_t{90} << 20;
  constexpr std::size_t mean = 272;
  constexpr std::size_t most_live = live / producers / mean;
  constexpr std::size_t per_producer = 400'000;
  static_assert(most_live < ring::slots);
  mapped<ring> rings(producers);
  mapped<std::thread> team(producers);
  const double before = resident();
  for (unsigned i = 0; i < producers; ++i) {
    team[i] = std::thread([&own = rings[i], i] {
      random_numbers random{i + 1};
      for (std::size_t k = 0; k < per_producer; ++k) {
        while (k - own.taken.load(std::memory_order_acquire) >= most_live) sched_yield();
        const std::size_t size = random.between(32, 512);
        own.blocks[k % ring::slots] = written(std::malloc(size), size);
        own.put.store(k + 1, std::memory_order_release);
      }
    });
  }
  // It lets the producers fill up first and then keeps them filled.
  double peak = 0;
  std::thread freer([&] {
    for (std::size_t k = 0; k < per_producer; ++k) {
      for (unsigned i = 0; i < producers; ++i) {
        ring& from = rings[i];
        const std::size_t wanted = std::min(k + most_live, per_producer);
        while (from.put.load(std::memory_order_acquire) < wanted) sched_yield();
        std::free(from.blocks[k % ring::slots]);
        from.taken.store(k + 1, std::memory_order_release);
      }
      if (k % 4096 == 0) peak = std::max(peak, resident() - before);
    }
  });
  freer.join();
  for (unsigned i = 0; i < producers; ++i) team[i].join();
  print("remote_peak", peak / mebi, "MiB");
}

// Blocks side by side, each made half as large again: in processor time the usual and the longest
// realloc, and what is resident when one page of each was touched.
void grow_elsewhere(std::size_t bytes, std::size_t touched, const char* usual, const char* longest,
                    const char* held) {
  constexpr std::size_t count = 60;
  mapped<char*> live(count);
  for (std::size_t i = 0; i < count; ++i) {
    live[i] = static_cast<char*>(written(std::malloc(bytes), touched));
  }
  mapped<double> taken(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double began = processor_us();
    live[i] = static_cast<char*>(std::realloc(live[i], bytes + bytes / 2));
    taken[i] = processor_us() - began;
  }
  std::sort(&taken[0], &taken[0] + count);
  print(usual, taken[count / 2], "us");
  print(longest, taken[count - 1], "us");
  print(held, resident() / mebi, "MiB");
  for (std::size_t i = 0; i < count; ++i) std::free(live[i]);
}

// One block that grows to 200 MiB, a mebibyte at a time; before, blocks that have to move.
void growing() {
  grow_elsewhere(1 << 20, 4096, "1_MiB_grows_sparse", "1_MiB_grows_sparse_longest",
                 "1_MiB_grown_sparse_rss");
  grow_elsewhere(7 << 20, 7 << 20, "7_MiB_grows", "7_MiB_grows_longest", "7_MiB_grown_rss");
  const double start = now();
  void* block = nullptr;
  for (std::size_t size = 1; size <= 200; ++size) {
    block = std::realloc(block, size << 20);
    written(static_cast<char*>(block) + ((size - 1) << 20), 1 << 20);
  }
  print("growing_to_200M", now() - start, "s");
  std::free(block);
}

// Waits for the child, at most that long; false when it hangs.
bool ends_within(pid_t child, double seconds, int& status) {
  for (const double start = now(); now() - start < seconds;) {
    if (waitpid(child, &status, WNOHANG) == child) return true;
    usleep(200);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return false;
}

// 1,000 forks while four threads allocate, large blocks too, and free what others allocated.
void forks() {
  constexpr int wanted = 1000;
  constexpr int enough_hangs = 10;
  constexpr unsigned threads = 4;
  static std::atomic<bool> end{false};
  static std::atomic<void*> slots[256];
  mapped<std::thread> team(threads);
  for (unsigned i = 0; i < threads; ++i) {
    team[i] = std::thread([i] {
      random_numbers random{i + 1};
      while (!end) {
        const std::size_t size =
            random.next() % 64 == 0 ? random.between(100'000, 400'000) : random.between(1, 2000);
        void* block = std::malloc(size);
        std::free(slots[random.next() % 256].exchange(block));
      }
    });
  }
  int hangs = 0;
  int crashes = 0;
  int done = 0;
  random_numbers random{99};
  for (; done < wanted && hangs < enough_hangs; ++done) {
    const pid_t child = fork();
    if (child < 0) {
      std::perror("fork");
      std::_Exit(1);
    }
    if (child == 0) {
      void* own[100];
      for (void*& one : own) {
        const std::size_t size = random.between(1, 2000);
        one = written(std::malloc(size), size);
      }
      for (void* one : own) std::free(one);
      for (int i = 0; i < 50; ++i) std::free(slots[i].exchange(nullptr));
      std::free(written(std::malloc(300'000), 300'000));
      _exit(0);
    }
    int status = 0;
    if (!ends_within(child, 2, status)) {
      ++hangs;
    } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      ++crashes;
    }
  }
  end = true;
  for (unsigned i = 0; i < threads; ++i) team[i].join();
  print("forks", done, "count");
  print("fork_hangs", hangs, "count");
  print("fork_crashes", crashes, "count");
}

void print_peak(const char* peak, const char* faults) {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  print(peak, static_cast<double>(used.ru_maxrss) / 1024, "MiB");
  print(faults, static_cast<double>(used.ru_minflt), "count");
}

// 300 blocks of so many MiB at random, of which the last `Alive` live: what is kept between them.
template <std::size_t Alive>
void large_ones(std::size_t least, std::size_t most) {
  void* live[Alive] = {};
  random_numbers random{1};
  for (std::size_t i = 0; i < 300; ++i) {
    void*& one = live[i % Alive];
    std::free(one);
    const std::size_t size = random.between(least, most) << 20;
    one = written(std::malloc(size), size);
  }
  for (void* one : live) std::free(one);
}
void one_large() {
  large_ones<1>(20, 400);
  print_peak("one_large_peak", "one_large_faults");
}
void two_large() {
  large_ones<2>(40, 384);
  print_peak("two_large_peak", "two_large_faults");
  print("two_large_left", resident() / mebi, "MiB");
}

void shuffle(mapped<void*>& all, std::size_t count, random_numbers& random) {
  for (std::size_t i = count; i > 1; --i) std::swap(all[i - 1], all[random.next() % i]);
}

// `call` gets numbers from 0 on; `report`, the microseconds of a call by its place among all, the
// shortest first.
template <class Call, class Report>
void time_each(std::size_t count, Call call, Report report) {
  mapped<float> taken(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double began = processor_us();
    call(i);
    taken[i] = static_cast<float>(processor_us() - began);
  }
  std::sort(taken.begin(), taken.begin() + count);
  report([&](std::size_t place) { return static_cast<double>(taken[place]); });
}

template <class Report>
void free_timed(mapped<void*>& live, std::size_t count, Report report) {
  time_each(count, [&](std::size_t i) { std::free(live[i]); }, report);
}

// While a thread does something else, another frees a million of its blocks, in no order. It is
// back, and allocates half as many of each size: how long the calls take, and what is held.
void freed_elsewhere() {
  constexpr std::size_t count = 1'000'000;
  mapped<void*> live(count);
  for (std::size_t i = 0; i < count; ++i) live[i] = written(std::malloc(48), 48);
  random_numbers random{5};
  shuffle(live, count, random);
  std::thread([&] {
    free_timed(live, count, [&](const auto& taken) {
      print("free_p99.9", taken(count - count / 1000), "us");
      print("free_longest", taken(count - 1), "us");
    });
  }).join();
  print("held_when_freed", resident() / mebi, "MiB");
  time_each(
      count, [&](std::size_t i) { live[i] = std::malloc(i % 2 == 0 ? 48 : 80); },
      [](const auto& taken) {
        print("malloc_p99.9", taken(count - count / 1000), "us");
        print("malloc_longest", taken(count - 1), "us");
      });
  print("held_at_the_end", resident() / mebi, "MiB");
}

// 90 % of 450 MiB of small blocks are freed at random: how long the frees take.
void long_frees() {
  constexpr std::size_t bytes = std::size_t{450} << 20;
  mapped<void*> live(bytes / 16);
  random_numbers random{4};
  std::size_t count = 0;
  for (std::size_t sum = 0; sum < bytes; ++count) {
    const std::size_t size = random.between(16, 2048) >> (random.next() % 6);
    live[count] = written(std::malloc(size + 1), size + 1);
    sum += size + 1;
  }
  shuffle(live, count, random);
  const std::size_t freed_blocks = count / 10 * 9;
  free_timed(live, freed_blocks, [&](const auto& taken) {
    print("free_p99.9", taken(freed_blocks - freed_blocks / 1000), "us");
    print("free_longest", taken(freed_blocks - 1), "us");
  });
}

// 1 GiB of blocks of one size are freed in a random order, by a process for each size: how long the
// longest free takes, and a usual one.
void frees_of_a_size() {
  constexpr std::size_t bytes = std::size_t{1} << 30;
  struct {
    std::size_t size;
    const char *usual, *longest;
  } constexpr all[] = {{3 << 10, "3_KiB_free_usual", "3_KiB_free_longest"},
                       {100 << 10, "100_KiB_free_usual", "100_KiB_free_longest"},
                       {1 << 20, "1_MiB_free_usual", "1_MiB_free_longest"},
                       {6 << 20, "6_MiB_free_usual", "6_MiB_free_longest"},
                       {20 << 20, "20_MiB_free_usual", "20_MiB_free_longest"}};
  for (const auto& one : all) {
    std::fflush(stdout);
    if (const pid_t child = fork(); child != 0) {
      waitpid(child, nullptr, 0);
      continue;
    }
    const std::size_t count = bytes / one.size;
    mapped<void*> live(count);
    for (std::size_t i = 0; i < count; ++i) live[i] = written(std::malloc(one.size), one.size);
    random_numbers random{5};
    shuffle(live, count, random);
    free_timed(live, count, [&](const auto& taken) {
      print(one.usual, taken(count / 2), "us");
      print(one.longest, taken(count - 1), "us");
    });
    std::fflush(stdout);
    _exit(0);
  }
}

// The cost of a refused malloc, when blocks of 1,000 bytes fill 768 MiB of addresses.
void refused() {
  const rlimit room{rlim_t{768} << 20, RLIM_INFINITY};
  mapped<void*> live(1 << 20);
  setrlimit(RLIMIT_AS, &room);
  std::size_t count = 0;
  while (void* block = std::malloc(1000)) live[count++] = block;
  constexpr int times = 50;
  const double began = processor_us();
  for (int i = 0; i < times; ++i) use(std::malloc(1000));
  print("refused_malloc", (processor_us() - began) / times, "us");
  // As a cache does: something goes, and then it is tried again.
  double taken[times];
  for (double& one : taken) {
    std::free(live[--count]);
    const double start = processor_us();
    use(std::malloc(30'000));
    one = processor_us() - start;
  }
  std::sort(taken, taken + times);
  print("refused_after_free", taken[times / 2], "us");
  print("refused_after_free_longest", taken[times - 1], "us");
}

// Four threads fill tables with blocks of random sizes, free them all now and then, and free
// batches of their neighbour's: memory that one wave gives back the next one needs.
void waves() {
  constexpr unsigned threads = 4;
  constexpr std::size_t slots = 8000, handed = 256, largest = 16'000;
  struct batch {
    void* blocks[handed];
  };
  static std::atomic<batch*> inbox[threads];
  const auto drop = [](batch* got) {
    if (got == nullptr) return;
    for (void* one : got->blocks) std::free(one);
    std::free(got);
  };
  const auto work = [&](unsigned self) {
    random_numbers random{self};
    mapped<void*> live(slots);
    const auto fresh = [&] {
      const std::size_t size = random.between(16, largest);
      return written(std::malloc(size), size < 64 ? size : 64);
    };
    for (int wave = 0; wave < 20; ++wave) {
      for (int step = 0; step < 60; ++step) {
        for (int i = 0; i < 600; ++i) {
          void*& one = live[random.next() % slots];
          std::free(one);
          one = random.next() % 2 == 0 ? nullptr : fresh();
        }
        if (step % 2 != 0) continue;
        auto* const made = static_cast<batch*>(written(std::malloc(sizeof(batch)), sizeof(batch)));
        for (void*& one : made->blocks) one = fresh();
        drop(inbox[(self + 1) % threads].exchange(made));  // nobody has come for the last one
        drop(inbox[self].exchange(nullptr));
      }
      for (std::size_t i = 0; i < slots; ++i) std::free(std::exchange(live[i], nullptr));
    }
  };
  for (int round = 0; round < 2; ++round) {
    std::jthread team[threads];
    for (unsigned i = 0; i < threads; ++i) team[i] = std::jthread(work, i);
    for (std::jthread& one : team) one.join();
    for (auto& one : inbox) drop(one.exchange(nullptr));
  }
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  print("waves_processor", seconds(used.ru_utime) + seconds(used.ru_stime), "s");
  print_peak("waves_peak", "waves_faults");
}

// A thousand large blocks come and go, of which the program touches little, as it does of buffers.
void buffers() {
  constexpr std::size_t count = 1'000, bytes = 300'000, rounds = 20;
  mapped<void*> live(count);
  const double began = processor_us();
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < count; ++i) {
      auto* const block = static_cast<char*>(written(std::malloc(bytes), 64));
      for (std::size_t at = 0; at < bytes; at += std::size_t{64} << 10) block[at] = 1;
      live[i] = block;
    }
    for (std::size_t i = 0; i < count; ++i) std::free(live[i]);
  }
  print("buffers_pair", (processor_us() - began) / (count * rounds), "us");
  print_peak("buffers_peak", "buffers_faults");
}

// Threads allocate all their blocks, 80 MB together, and free them all, again and again. The time
// is that of an allocation in the second round, and in the later ones.
void rounds() {
  constexpr unsigned threads = 8, count = 6;
  constexpr std::size_t slots = 25'000, largest = 800;
  std::barrier line(threads);
  std::atomic<std::uint64_t> took[count]{};
  const auto work = [&](unsigned self) {
    random_numbers random{self};
    mapped<void*> live(slots);
    for (std::atomic<std::uint64_t>& time : took) {
      line.arrive_and_wait();
      const auto start = std::chrono::steady_clock::now();
      for (std::size_t i = 0; i < slots; ++i) {
        live[i] = written(std::malloc(random.between(16, largest)), 16);
      }
      time += static_cast<std::uint64_t>((std::chrono::steady_clock::now() - start).count());
      line.arrive_and_wait();
      for (std::size_t i = 0; i < slots; ++i) std::free(live[i]);
    }
  };
  {
    std::jthread team[threads];
    for (unsigned i = 0; i < threads; ++i) team[i] = std::jthread(work, i);
  }
  const auto per_block = [](std::uint64_t time) {
    return static_cast<double>(time) / (threads * slots);
  };
  print("rounds_second", per_block(took[1]), "ns");
  print("rounds_later", per_block(took[2] + took[3] + took[4] + took[5]) / (count - 2), "ns");
  print_peak("rounds_peak", "rounds_faults");
}

struct probe {
  const char* name;
  void (*run)();
};
constexpr probe probes[] = {{"tiny", tiny},
                            {"starts", starts},
                            {"freed", freed},
                            {"fragmented", fragmented},
                            {"phases", phases},
                            {"threads", many_threads},
                            {"short-threads", short_threads},
                            {"remote", remote},
                            {"growing", growing},
                            {"forks", forks},
                            {"one-large", one_large},
                            {"two-large", two_large},
                            {"long-frees", long_frees},
                            {"freed-elsewhere", freed_elsewhere},
                            {"frees-of-a-size", frees_of_a_size},
                            {"refused", refused},
                            {"waves", waves},
                            {"buffers", buffers},
                            {"rounds", rounds}};

}  // namespace

int main(int argc, char** argv) {
  for (const probe& one : probes) {
    if (argc == 2 && std::strcmp(argv[1], one.name) == 0) {
      one.run();
      return 0;
    }
  }
  std::fprintf(stderr, "usage: %s PROBE, one of", argv[0]);
  for (const probe& one : probes) std::fprintf(stderr, " %s", one.name);
  std::fputc('\n', stderr);
  return 2;
}
