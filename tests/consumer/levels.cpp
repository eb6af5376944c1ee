// A program of some level of assertions with a library of any: what is checked is what each of the
// two was compiled for, and how often the system is asked what is mapped. Argument: the library's
// level.
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <memory_resource>
#include <string>
#include <thread>
#include <vector>

#include "mallard/adaptive_pool.hpp"
#include "mallard/allocator.hpp"
#include "mallard/heap.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "mallard/scratch.hpp"
#include "mallard/synchronized_heap.hpp"
#include "mallard/synchronized_multipool.hpp"

namespace {

constexpr int level = MALLARD_ASSERTIONS;
int looks = 0;
int failures = 0;

std::string said;  // by the last child

void expect(bool what, const char* text, int library) {
  if (what) return;
  std::printf("program %d, library %d: %s; last said: %s\n", level, library, text, said.c_str());
  ++failures;
}

// Whether the call ends with that line.
template <class Call>
bool dies_with(const std::string& text, Call&& call) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    call();
    _exit(0);
  }
  close(ends[1]);
  said.clear();
  char buffer[512];
  for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof buffer)) > 0;) {
    said.append(buffer, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT &&
         said.find(text) != std::string::npos && said.find('\n') == said.size() - 1;
}

// By type and by base on the same blocks, small and large, and by another thread where that may be.
template <class R>
void work() {
  R resource;
  std::pmr::memory_resource& base = resource;
  for (const std::size_t bytes :
       {std::size_t{24}, std::size_t{200}, std::size_t{3000}, std::size_t{20'000}}) {
    std::vector<void*> blocks;
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 400; ++i) {
        blocks.push_back(i % 2 == 0 ? resource.allocate(bytes, 8) : base.allocate(bytes, 8));
      }
      for (std::size_t i = blocks.size(); i-- > 0;) {
        if (i % 3 == 0) {
          base.deallocate(blocks[i], bytes, 8);
        } else {
          resource.deallocate(blocks[i], bytes, 8);
        }
      }
      blocks.clear();
    }
  }
  std::pmr::map<int, int> by_base(&resource);
  std::list<int, mallard::allocator<int, R>> by_type(&resource);
  for (int i = 0; i < 1000; ++i) by_type.push_back(by_base[i]);
}

template <class R>
void work_of_two_threads() {
  R resource;
  std::vector<void*> blocks;
  std::thread([&] {
    for (int i = 0; i < 1000; ++i) blocks.push_back(resource.allocate(40, 8));
  }).join();
  for (void* const p : blocks) resource.deallocate(p, 40, 8);
}

template <class R>
void misuse(int library) {
  const auto twice = [](auto& give_to, std::size_t bytes) {
    void* const p = give_to.allocate(bytes, 8);
    give_to.deallocate(p, bytes, 8);
    give_to.deallocate(p, bytes, 8);
  };
  R resource;
  std::pmr::memory_resource& base = resource;
  for (int i = 0; i < 3; ++i) static_cast<void>(resource.allocate(24, 8));
  expect(dies_with("given back twice", [&] { twice(resource, 24); }) == (level >= 1),
         "a small block given back twice by type", library);
  expect(dies_with("given back twice", [&] { twice(base, 24); }) == (library >= 1),
         "a small block given back twice by base", library);
  expect(level == 0 ||
             dies_with("is_power_of_two", [&] { static_cast<void>(resource.allocate(8, 24)); }),
         "an alignment that is none", library);
  R other;
  for (int i = 0; i < 3; ++i) static_cast<void>(other.allocate(24, 8));
  void* const p = resource.allocate(24, 8);
  expect(dies_with("of another resource", [&] { other.deallocate(p, 24, 8); }) == (level >= 2),
         "a block of another resource by type", library);
}

// Functions of headers that are not inlined, of which program and library have a copy each.
template <class R>
void misuse_large(int library) {
  R resource;
  expect(dies_with("given back twice",
                   [&] {
                     void* const p = resource.allocate(5000, 8);
                     resource.deallocate(p, 5000, 8);
                     resource.deallocate(p, 5000, 8);
                   }) == (library >= 1),
         "a large block given back twice", library);
}

template <class... R>
void work_of_all(int library) {
  (work<R>(), ...);
  work_of_two_threads<mallard::synchronized_multipool_resource>();
  work_of_two_threads<mallard::synchronized_heap_resource>();
  (misuse<R>(library), ...);
}

}  // namespace

extern "C" int mincore(void* p, std::size_t bytes, unsigned char* states) noexcept {
  ++looks;
  return static_cast<int>(syscall(SYS_mincore, p, bytes, states));
}

int main(int, char** argv) {
  const int library = std::atoi(argv[1]);
  work_of_all<mallard::multipool_resource, mallard::heap_resource, mallard::adaptive_pool_resource,
              mallard::synchronized_multipool_resource, mallard::synchronized_heap_resource>(
      library);
  misuse_large<mallard::multipool_resource>(library);
  misuse_large<mallard::synchronized_heap_resource>(library);
  const bool notes_by_itself = level == 2 && library < 2;
  std::printf("program %d, library %d: %d looks\n", level, library, looks);
  expect(notes_by_itself ? looks > 0 && looks < 200 : looks == 0, "looks at the system", library);
  return failures == 0 ? 0 : 1;
}
