// A C++ program that replaces two of the operators: all others have to come down to these. Its
// blocks are not where the malloc's begin.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

constexpr std::size_t offset = 48;
constexpr std::align_val_t alignment{16};
int live = 0;
bool sound = true;
void* volatile block;  // between new and delete, which cannot be left out so

void* begin(void* p) {
  if (p == nullptr) throw std::bad_alloc();
  ++live;
  std::memset(p, 'x', offset);
  return static_cast<char*>(p) + offset;
}

void end(void* p) {
  if (p == nullptr) return;
  --live;
  char* const start = static_cast<char*>(p) - offset;
  for (std::size_t i = 0; i < offset; ++i) sound = sound && start[i] == 'x';
  if (sound) std::free(start);
}

template <class Allocate, class Free>
void pair(const char* what, Allocate allocate, Free free) {
  block = allocate();
  const bool counted = live == 1;
  free(block);
  if (counted && live == 0 && sound) return;
  std::printf("%s is not the program's\n", what);
  std::exit(1);
}

volatile std::size_t too_much = PTRDIFF_MAX;

}  // namespace

#ifdef MALLARD_REPLACE_ALIGNED
void* operator new(std::size_t n, std::align_val_t) {
  return begin(std::malloc(n < PTRDIFF_MAX ? n + offset : n));
}
void operator delete(void* p, std::align_val_t) noexcept {
  end(p);
}
#define ALIGNED , alignment
#else
void* operator new(std::size_t n) {
  return begin(std::malloc(n < PTRDIFF_MAX ? n + offset : n));
}
void operator delete(void* p) noexcept {
  end(p);
}
#define ALIGNED
#endif

int main() {
  const auto one = [] { return ::operator new(50 ALIGNED); };
  const auto array = [] { return ::operator new[](50 ALIGNED); };
  const auto one_or_null = [] { return ::operator new(50 ALIGNED, std::nothrow); };
  const auto array_or_null = [] { return ::operator new[](50 ALIGNED, std::nothrow); };
  pair("delete", one, [](void* p) { ::operator delete(p ALIGNED); });
  pair("sized delete", one_or_null, [](void* p) { ::operator delete(p, 50 ALIGNED); });
  pair("delete[]", array, [](void* p) { ::operator delete[](p ALIGNED); });
  pair("sized delete[]", array_or_null, [](void* p) { ::operator delete[](p, 50 ALIGNED); });
  pair("nothrow delete", one, [](void* p) { ::operator delete(p ALIGNED, std::nothrow); });
  pair("nothrow delete[]", array, [](void* p) { ::operator delete[](p ALIGNED, std::nothrow); });
  block = ::operator new[](too_much ALIGNED, std::nothrow);
  if (block != nullptr) sound = false;
  std::puts(sound ? "sound" : "not sound");
  return sound ? 0 : 1;
}
