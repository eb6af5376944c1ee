// Purpose: objects with destructors in an arena, made and destroyed, beside protobuf's Arena and
// LLVM's SpecificBumpPtrAllocator where these are installed. Each round makes 10,000 objects and
// releases; the arenas are new in each round.
//
//   mallard_created_objects                  # ns for each object, median of interleaved rounds
//   mallard_created_objects mallard text 100 # as many rounds of one alone, to count by callgrind
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "mallard/create.hpp"
#include "mallard/monotonic.hpp"
#ifdef MALLARD_HAS_PROTOBUF
#include <google/protobuf/arena.h>
#endif
#ifdef MALLARD_HAS_LLVM
#include <llvm/Support/Allocator.h>
#endif

namespace {

constexpr int objects = 10'000;
long ended = 0;

struct empty {
  ~empty() { ++ended; }
  long words[2] = {};
};
struct text {
  ~text() { ++ended; }
  std::string words = "in the object";
};

template <class T>
[[gnu::noinline]] void with_heap() {
  static T* made[objects];
  for (T*& object : made) object = new T;
  for (int i = objects; i != 0; --i) delete made[i - 1];
}
template <class T>
[[gnu::noinline]] void with_mallard() {
  mallard::monotonic_resource arena;
  for (int i = 0; i < objects; ++i) mallard::create<T>(arena);
}
#ifdef MALLARD_HAS_PROTOBUF
template <class T>
[[gnu::noinline]] void with_protobuf() {
  google::protobuf::Arena arena;
  for (int i = 0; i < objects; ++i) google::protobuf::Arena::Create<T>(&arena);
}
#endif
#ifdef MALLARD_HAS_LLVM
template <class T>
[[gnu::noinline]] void with_llvm() {
  llvm::SpecificBumpPtrAllocator<T> arena;
  for (int i = 0; i < objects; ++i) new (arena.Allocate()) T;
}
#endif

struct contender {
  const char* name;
  const char* type;
  void (*round)();
  std::vector<double> ns = {};
};

}  // namespace

int main(int count, char** words) {
  std::vector<contender> all = {
      {"new and delete", "empty", with_heap<empty>},
      {"mallard", "empty", with_mallard<empty>},
#ifdef MALLARD_HAS_PROTOBUF
      {"protobuf", "empty", with_protobuf<empty>},
#endif
#ifdef MALLARD_HAS_LLVM
      {"llvm", "empty", with_llvm<empty>},
#endif
      {"new and delete", "text", with_heap<text>},
      {"mallard", "text", with_mallard<text>},
#ifdef MALLARD_HAS_PROTOBUF
      {"protobuf", "text", with_protobuf<text>},
#endif
#ifdef MALLARD_HAS_LLVM
      {"llvm", "text", with_llvm<text>},
#endif
  };
  if (count == 4) {
    for (const contender& c : all) {
      if (c.name != std::string_view(words[1]) || c.type != std::string_view(words[2])) continue;
      for (int i = std::atoi(words[3]); i > 0; --i) c.round();
    }
    std::printf("%ld objects\n", ended);
    return 0;
  }
  using clock = std::chrono::steady_clock;
  for (int round = 0; round < 501; ++round) {
    for (contender& c : all) {
      const auto start = clock::now();
      c.round();
      const std::chrono::duration<double, std::nano> took = clock::now() - start;
      c.ns.push_back(took.count() / objects);
    }
  }
  for (contender& c : all) {
    std::nth_element(c.ns.begin(), c.ns.begin() + 250, c.ns.end());
    std::printf("%-14s %-6s %6.2f ns an object\n", c.name, c.type, c.ns[250]);
  }
}
