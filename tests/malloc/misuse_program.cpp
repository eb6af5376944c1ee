// Does one thing wrong with malloc, named by its argument, and says so if it was not stopped.
#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <vector>

// Not every C library has these.
extern "C" [[gnu::weak]] void free_sized(void*, std::size_t);
extern "C" [[gnu::weak]] void free_aligned_sized(void*, std::size_t, std::size_t);
extern "C" [[gnu::weak]] void* mallard_heap_create();
extern "C" [[gnu::weak]] void* mallard_heap_allocate(void*, std::size_t, std::size_t);
extern "C" [[gnu::weak]] void mallard_heap_destroy(void*);
extern "C" [[gnu::weak]] void* mallard_scope_begin(void*);
extern "C" [[gnu::weak]] void* mallard_resize(void*, std::size_t);
extern "C" [[gnu::weak]] void* mallard_aligned_realloc(void*, std::size_t, std::size_t);

namespace {

char* block(std::size_t bytes) {
  return static_cast<char*>(std::malloc(bytes));
}

void free_twice(char* p) {
  std::free(p);
  std::free(p);
}
void free_twice(std::size_t bytes) {
  free_twice(block(bytes));
}

// Frees large blocks until the next one is where the last one was, and returns such a block.
char* block_where_one_was_freed() {
  char* last = nullptr;
  for (int i = 0; i < 1'000'000; ++i) {
    char* const p = block(300'000);
    if (p == last) return p;
    last = p;
    std::free(p);
  }
  std::abort();
}

char static_bytes[64];

// Blocks in many neighbouring slabs of 16 KiB; behind one of them, which itself stays as it is, the
// next slab is written to.
void overflow_into_header() {
  std::vector<char*> blocks;
  for (int i = 0; i < 4000; ++i) blocks.push_back(block(56));
  std::set<std::uintptr_t> slabs;
  for (char* p : blocks) slabs.insert(reinterpret_cast<std::uintptr_t>(p) / 16384);
  // The last block of a slab whose neighbour has such blocks too.
  const auto is_before_slab = [&](char* p) {
    const auto end = reinterpret_cast<std::uintptr_t>(p) + 64;
    return end % 16384 == 0 && slabs.count(end / 16384) != 0;
  };
  const auto at = std::find_if(blocks.begin(), blocks.end(), is_before_slab);
  if (at == blocks.end()) return;
  std::memset(*at + 64, 0x41, 16);
  for (char* p : blocks) std::free(p);
}

// A block that another thread has freed lies on its way home when it is written to. Thousands of
// blocks would not wait: that thread would put most of them back itself.
void write_to_sent_block() {
  std::vector<char*> blocks;
  for (int i = 0; i < 500; ++i) blocks.push_back(block(32));
  std::thread([&] {
    for (char* p : blocks) std::free(p);
  }).join();
  for (char* p : blocks) std::memset(p, 0x41, 8);
  for (int i = 0; i < 4000; ++i) blocks.push_back(block(32));
}

void write_past_end(std::size_t beyond) {
  char* const p = block(1 << 20);
  std::memset(p + (1 << 20), 0x41, beyond);
}

void overwrite_before(char* p, std::size_t bytes) {
  std::memset(p - bytes, 0x41, bytes);
  std::free(p);
}

// Each of two threads frees a block of this one, which takes back what they sent.
void free_by_two_threads() {
  std::vector<char*> blocks;
  for (int i = 0; i < 100; ++i) blocks.push_back(block(32));
  for (int i = 0; i < 2; ++i) std::thread([&] { std::free(blocks[50]); }).join();
  for (int i = 0; i < 1000; ++i) blocks.push_back(block(32));
  for (char* p : blocks) std::free(p);
}

// A block that went with its heap.
void free_after_heap(std::size_t bytes) {
  void* const heap = mallard_heap_create();
  void* const p = mallard_heap_allocate(heap, bytes, 0);
  mallard_heap_destroy(heap);
  std::free(p);
}

char* volatile hidden;

const std::map<std::string, std::function<void()>> misuses = {
    {"free_by_two_threads", free_by_two_threads},
    {"double_free_smallest", [] { free_twice(1); }},
    {"double_free_medium", [] { free_twice(200'000); }},
    {"double_free_aligned",
     [] {
       void* const p = std::aligned_alloc(4096, 8192);
       std::free(p);
       std::free(p);
     }},
    {"double_delete",
     [] {
       void* const p = ::operator new(4);
       ::operator delete(p);
       ::operator delete(p);
     }},
    {"double_free_of_ended_thread",
     [] {
       char* p = nullptr;
       std::thread([&] {
         for (int i = 0; i < 100; ++i) p = block(100);
       }).join();
       std::free(p);
       std::free(p);
     }},
    {"double_free_between_others",
     [] {
       char* const p = block(64);
       char* const q = block(64);
       std::free(p);
       std::free(q);
       std::free(p);
     }},
    {"double_free_after_reuse",
     [] {
       char* const p = block(64);
       std::free(p);
       hidden = block(64);
       std::free(p);
     }},
    {"free_past_end", [] { std::free(block(64) + 64 * 40 + 8); }},
    {"free_before_block", [] { std::free(block(64) - 8); }},
    {"free_region_start",
     [] {
       const auto address = reinterpret_cast<std::uintptr_t>(block(64));
       std::free(reinterpret_cast<void*>(address & ~std::uintptr_t{0x3ffffff}));
     }},
    {"free_inside_huge", [] { std::free(block(std::size_t{20} << 20) + 4096); }},
    {"free_literal", [] { std::free(const_cast<char*>("text")); }},
    {"free_thread_stack",
     [] {
       std::thread([] {
         std::array<char, 64> bytes{};
         std::free(bytes.data());
       }).join();
     }},
    {"free_kernel_address", [] { std::free(reinterpret_cast<void*>(0xffff800000000000)); }},
    {"realloc_interior", [] { hidden = static_cast<char*>(std::realloc(block(64) + 16, 100)); }},
    {"realloc_static", [] { hidden = static_cast<char*>(std::realloc(static_bytes, 100)); }},
    {"realloc_moved",
     [] {
       char* const p = block(64);
       hidden = static_cast<char*>(std::realloc(p, 5000));
       hidden = static_cast<char*>(std::realloc(p, 5000));
     }},
    {"usable_size_freed",
     [] {
       char* const p = block(64);
       std::free(p);
       hidden = p + malloc_usable_size(p);
     }},
    {"wrong_aligned_delete",
     [] {
       ::operator delete(::operator new(64, std::align_val_t{64}), 640, std::align_val_t{64});
     }},
    {"wrong_alignment_of_delete",
     [] {
       ::operator delete(::operator new(64, std::align_val_t{256}), std::align_val_t{1 << 30});
     }},
    {"wrong_alignment_of_large_block",
     [] {
       constexpr std::size_t bytes = 1 << 20;
       ::operator delete(::operator new(bytes), bytes, std::align_val_t{1 << 30});
     }},
    {"wrong_sized_array_delete", [] { ::operator delete[](::operator new[](1000), 10); }},
    {"wrong_size_of_same_class", [] { ::operator delete(::operator new(60), std::size_t{50}); }},
    {"write_after_free_large",
     [] {
       hidden = block(1 << 20);
       std::free(hidden);
       hidden[100] = 1;
     }},
    {"write_after_next_large",
     [] {
       hidden = block(300'000);
       std::free(hidden);
       std::memset(block(300'000), 1, 300'000);
       hidden[100] = 1;
     }},
    {"write_after_other_large",
     [] {
       std::vector<char*> blocks(200);
       for (char*& p : blocks) p = block(300'000);
       for (char* p : blocks) std::free(p);
       hidden = blocks[50];
       for (char*& p : blocks) p = block(300'000);
       hidden[100] = 1;
     }},
    {"read_after_free_huge",
     [] {
       hidden = block(std::size_t{20} << 20);
       std::free(hidden);
       std::printf("%d\n", hidden[100]);
     }},
    {"write_after_free",
     [] {
       hidden = block(64);
       std::free(hidden);
       std::memset(hidden, 0x41, 64);
     }},
    {"read_after_free",
     [] {
       hidden = block(64);
       std::free(hidden);
       if (hidden[8] == 1) std::puts("one");
     }},
    {"write_inside_freed",
     [] {
       hidden = block(64);
       std::free(hidden);
       std::memset(hidden + 8, 0x41, 8);
     }},
    {"overflow_into_slack",
     [] {
       char* const p = block(49);
       std::memset(p, 0x41, 52);
       std::free(p);
     }},
    {"overflow_beyond_canary",
     [] {
       char* const p = block(64);
       hidden = block(64);
       p[malloc_usable_size(p) + 20] = 0x41;
       std::free(p);
     }},
    {"overflow_then_free",
     [] {
       char* const p = block(64);
       p[malloc_usable_size(p)] ^= 1;
       std::free(p);
     }},
    {"overflow_then_realloc",
     [] {
       char* const p = block(1000);
       p[malloc_usable_size(p)] ^= 1;
       hidden = static_cast<char*>(std::realloc(p, 1001));
     }},
    {"overflow_then_free_elsewhere",
     [] {
       char* const p = block(5000);
       p[malloc_usable_size(p)] ^= 1;
       std::thread([&] { std::free(p); }).join();
     }},
    {"overflow_in_heap",
     [] {
       auto* const p = static_cast<char*>(mallard_heap_allocate(mallard_heap_create(), 64, 0));
       p[malloc_usable_size(p)] ^= 1;
       std::free(p);
     }},
    {"overflow_far_in_heap",
     [] {
       auto* const p = static_cast<char*>(mallard_heap_allocate(mallard_heap_create(), 72, 0));
       std::memset(p + 72, 1, 40);
       std::free(p);
     }},
    {"free_after_heap", [] { free_after_heap(64); }},
    {"free_after_heap_huge", [] { free_after_heap(1 << 20); }},
    {"destroy_heap_twice",
     [] {
       void* const heap = mallard_heap_create();
       mallard_heap_destroy(heap);
       mallard_heap_destroy(heap);
     }},
    {"wrong_size_in_class", [] { ::operator delete(::operator new(60), std::size_t{57}); }},
    {"underflow_large", [] { overwrite_before(block(1 << 20), 4096); }},
    {"underflow_small", [] { overwrite_before(block(64), 8); }},
    {"overflow_inside_class", [] { std::memset(block(49), 0x41, 60); }},
    {"overflow_past_usable",
     [] {
       hidden = block(64);
       std::memset(hidden, 0x41, malloc_usable_size(hidden) + 8);
     }},
    {"overflow_past_small",
     [] {
       hidden = block(24);
       std::memset(hidden, 0x41, malloc_usable_size(hidden) + 64);
     }},
    {"double_free", [] { free_twice(64); }},
    {"double_free_large", [] { free_twice(300'000); }},
    {"double_free_huge", [] { free_twice(std::size_t{20} << 20); }},
    {"double_free_later",
     [] {
       char* const p = block(64);
       std::vector<char*> others;
       for (int i = 0; i < 1000; ++i) others.push_back(block(64));
       std::free(p);
       for (char* o : others) std::free(o);
       std::free(p);
     }},
    {"double_free_elsewhere",
     [] {
       char* const p = block(64);
       std::free(p);
       std::thread([&] { std::free(p); }).join();
     }},
    {"free_interior", [] { std::free(block(64) + 16); }},
    {"free_unaligned", [] { std::free(block(64) + 1); }},
    {"double_free_where_one_was", [] { free_twice(block_where_one_was_freed()); }},
    {"read_only_where_one_was",
     [] {
       char* const p = block_where_one_was_freed();
       const auto page = (reinterpret_cast<std::uintptr_t>(p) + 100'000) & ~std::uintptr_t{65535};
       mprotect(reinterpret_cast<void*>(page), 65536, PROT_READ);
       std::free(p);
       std::memset(block(300'000), 1, 300'000);
     }},
    {"overflow_where_one_was", [] { block_where_one_was_freed()[300'032] = 1; }},
    {"free_inside_large", [] { std::free(block(1 << 20) + 4096); }},
    {"free_static", [] { std::free(static_bytes); }},
    {"free_stack",
     [] {
       std::array<char, 64> bytes{};
       std::free(bytes.data());
     }},
    {"free_near_null", [] { std::free(reinterpret_cast<void*>(1)); }},
    {"free_not_canonical", [] { std::free(reinterpret_cast<void*>(0x4141414141414140)); }},
    {"free_foreign_mapping",
     [] {
       std::free(
           mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
     }},
    {"free_after_move",
     [] {
       char* const p = block(64);
       if (std::realloc(p, 5000) != p) std::free(p);
     }},
    {"realloc_freed",
     [] {
       char* const p = block(64);
       std::free(p);
       static_cast<void>(std::realloc(p, 5000));
     }},
    {"wrong_sized_delete", [] { ::operator delete(::operator new(64), std::size_t{200}); }},
    {"wrong_free_sized", [] { free_sized(block(500'000), 400'000); }},
    {"wrong_free_aligned", [] { free_aligned_sized(std::aligned_alloc(64, 128), 64, 256); }},
    {"overflow_by_one", [] { write_past_end(1); }},
    {"overflow_by_many", [] { write_past_end(1000); }},
    {"overflow_into_header", overflow_into_header},
    {"write_to_sent_block", write_to_sent_block},
    {"right_in_a_scope",
     [] {
       mallard_scope_begin(nullptr);
       for (const std::size_t bytes : {64, 1000, 100'000}) {
         std::free(block(bytes));
         std::free(block(bytes));
       }
     }},
    {"right_sizes_when_resized",
     [] {
       for (const std::size_t bytes : {1000, 100'000, 2'000'000}) {
         free_sized(mallard_resize(block(bytes), bytes * 6 / 10), bytes * 6 / 10);
         free_sized(mallard_aligned_realloc(block(bytes), 1, bytes * 6 / 10), bytes * 6 / 10);
       }
     }},
    {"not_cleared",
     [] {
       char* const p = block(64);
       std::memset(p, 0x41, 64);
       char* volatile hidden = p;
       std::free(p);
       // The malloc has the first word.
       for (int i = 8; i < 64; ++i) {
         if (hidden[i] != 0) return;
       }
       std::abort();
     }},
};

// Whether blocks are still handed out once, and keep what is written to them.
bool still_sound() {
  std::vector<char*> blocks;
  for (std::size_t i = 0; i < 4000; ++i) {
    const std::size_t bytes = 16 + i % 100 * 8;
    blocks.push_back(block(bytes));
    std::memset(blocks.back(), static_cast<int>(i % 127), bytes);
  }
  bool sound = true;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::size_t bytes = 16 + i % 100 * 8;
    const char value = static_cast<char>(i % 127);
    sound = sound && std::count(blocks[i], blocks[i] + bytes, value) == static_cast<long>(bytes);
  }
  for (char* p : blocks) std::free(p);
  return sound;
}

}  // namespace

int main(int argc, char** argv) {
  const auto at = argc == 2 ? misuses.find(argv[1]) : misuses.end();
  if (at == misuses.end()) {
    std::fputs("usage: malloc_misuse_program MISUSE\n", stderr);
    return 2;
  }
  at->second();
  std::puts(still_sound() ? "not stopped" : "corrupted");
  return 0;
}
