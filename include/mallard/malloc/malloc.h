/* Purpose: what the drop-in malloc offers beyond the functions of the C library. For C and C++.
 *
 *   #include <mallard/malloc/malloc.h>
 *   mallard_set_limit_bytes((size_t)1 << 30);
 *   mallard_trim();
 *   char text[16384];
 *   mallard_stats_json(text, sizeof text);
 *
 * Link with mallard::malloc or mallard::malloc_static. The same settings can be made from outside,
 * by the environment variable MALLARD_MALLOC, a list of NAME=VALUE with commas between:
 *
 *   idle=BYTES         how much free memory is kept for later at most, in all (by what is in use)
 *   background=on|off  whether a thread gives memory back while the program calls nothing (off)
 *   limit=BYTES        how much memory blocks and what is around them may take (no limit)
 *   huge_pages=on|off|all
 *                      whether huge pages are asked for: for blocks from 32 MiB, never, for all (on)
 *   zero_on_free=on|off
 *                      hardened build: whether blocks are cleared when they are freed (off)
 *   wrong_sizes=abort|report
 *                      hardened build: whether a wrong size ends the program (abort)
 *   stats=text|json|openmetrics
 *                      figures, to the standard error when the process ends
 *   guard=1/CALLS      one in so many blocks lies between pages that fault, and itself does once freed
 *                      (none)
 *   profile=BYTES      a heap profile of samples, one in so many bytes, written at the end (none)
 *   profile_file=PATH  profiles are called PATH.PROCESS.NUMBER.pb (mallard-heap)
 *   profile_signal=USR1|USR2
 *                      one is written whenever the process gets the signal; or its number (none)
 *   profile_at=BYTES   and each time that what lives has grown by so many bytes (never)
 *
 * BYTES is a number with K, M or G behind it, or nothing.
 *
 * Thread-safety: all functions may be called from any thread. Those that tell or set something do
 * not allocate. */
#ifndef MALLARD_MALLOC_H
#define MALLARD_MALLOC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Effects: from now on at most about `bytes` of free memory stay with the process, whatever is in
 * use; what lies in slabs in use does not count. 0: all goes back to the system at once. Before the
 * first call a quarter of the most that was in use lately may stay: 64 to 256 MiB at most. */
void mallard_set_idle_bytes(size_t bytes);

/* Effects: from now on, what would make the memory taken from the system exceed `bytes` fails like
 * anything that the system refuses: with ENOMEM. Slabs and the mappings of huge blocks count with
 * all that is in them, and free memory that is kept, which goes first. 0: no limit. */
void mallard_set_limit_bytes(size_t bytes);

/* Effects: whether huge pages are asked for from now on. */
void mallard_set_huge_pages(int on);

/* Effects: gives free memory back to the system: of the calling thread, of ended ones, of those
 * that have been quiet, and what is shared. Returns 1 when there was some, else 0. The same as
 * malloc_trim(0). */
int mallard_trim(void);

/* Effects: writes figures as one JSON object and a null byte to `buffer`, cut off at `bytes`.
 * Returns the length of the whole object, without the null byte: as snprintf does. Other threads go
 * on meanwhile, so the figures are not all of one moment; blocks that are free but lie ready for
 * some thread count as in use. In a signal handler that has interrupted malloc there are none, and
 * the object says "interrupted". Complexity: O(memory in use / 16 KiB). */
size_t mallard_stats_json(char* buffer, size_t bytes);

/* Effects: the same text in parts, by calls of `write(context, text, bytes)`. That may allocate. */
typedef void (*mallard_writer)(void* context, const char* text, size_t bytes);
void mallard_write_stats_json(mallard_writer write, void* context);

/* Effects: the same figures as text in the format of OpenMetrics, which Prometheus and the textfile
 * collector of its node exporter read. */
size_t mallard_stats_openmetrics(char* buffer, size_t bytes);
void mallard_write_stats_openmetrics(mallard_writer write, void* context);

/* A heap profile: one in `bytes` bytes, on average, is a sample; of its block the stack is kept, and
 * whether it lives. So the profile tells which code allocated how much, and how much of that lives.
 * Blocks that were allocated before it began are not in it. */

/* Effects: begins it, or goes on with another distance. 0: 512 KiB. Returns 0, or ENOMEM. */
int mallard_profile_begin(size_t bytes);

/* Effects: from now on no block is a sample. Those that are stay in the profile until they are
 * freed. */
void mallard_profile_end(void);

/* Effects: writes the profile to the file in pprof's format, which `mallard top`, `report` and `diff`
 * read. Returns 0, or the number of the error; EINVAL if none was begun. Allocates nothing. */
int mallard_profile_write(const char* path);

/* Effects: from now on one in `calls` allocations, of up to a page each and 255 at a time, lies alone
 * between pages that fault, and faults once it is freed; a wrong access ends the program, with the
 * stacks of access, allocation and free on the standard error. 0: none from now on. Returns 0, or
 * ENOMEM. */
int mallard_guard(size_t calls);

/* Memory by other verbs, after the interface of llheap (Zulfiqar 2022;
 * mallard/malloc/llheap_names.h has its names). Arrays are of `count` elements of `bytes` bytes;
 * what does not fit a size_t fails like anything too large. All blocks may be given to free and
 * realloc. What returns a block returns null with errno set when it fails: ENOMEM, or EINVAL for an
 * alignment that is no power of two. */

void* mallard_array_alloc(size_t count, size_t bytes);
void* mallard_array_memalign(size_t alignment, size_t count, size_t bytes);
void* mallard_array_memalign_zeroed(size_t alignment, size_t count, size_t bytes);

/* Effects: like realloc, but the contents need not be kept, so nothing is copied and memory for the
 * old block and the new one is not needed at once. The old block is gone also when it fails. */
void* mallard_resize(void* p, size_t bytes);
void* mallard_resize_array(void* p, size_t count, size_t bytes);
void* mallard_aligned_resize(void* p, size_t alignment, size_t bytes);
void* mallard_aligned_resize_array(void* p, size_t alignment, size_t count, size_t bytes);

/* Effects: like realloc, and the block is aligned. The alignment is not remembered, but in the
 * sticky build. */
void* mallard_aligned_realloc(void* p, size_t alignment, size_t bytes);
void* mallard_aligned_realloc_array(void* p, size_t alignment, size_t count, size_t bytes);

/* Effects: the same on `*p`, which is left as it is when it fails. Returns 0, ENOMEM or EINVAL, and
 * does not touch errno. With no bytes `*p` becomes null. */
int mallard_posix_realloc(void** p, size_t bytes);
int mallard_posix_realloc_array(void** p, size_t count, size_t bytes);
int mallard_posix_aligned_realloc(void** p, size_t alignment, size_t bytes);
int mallard_posix_aligned_realloc_array(void** p, size_t alignment, size_t count, size_t bytes);

/* Returns the largest power of two that the block's address is a multiple of; in the sticky build
 * the alignment that was asked for, or 16 if that was less. 0 for null. */
size_t mallard_alignment(const void* p);

/* Only in the sticky build, mallard::malloc_sticky: a program that calls them does not link with
 * the others. There each block remembers its alignment and what these return, and realloc keeps
 * both alignment and zero-fill: what comes to a zero-filled block is zero. The functions called
 * resize drop both, those with an alignment set a new one. 0 for null. */
size_t mallard_request_size(const void* p); /* the bytes last asked for */
int mallard_zero_fill(const void* p);       /* 1 when allocated zeroed, else 0 */

/* Returns 1 when the block lies in memory of another thread's heap. That may also be so for a block
 * that was allocated here, after it was freed here before. Large blocks are of no thread's heap. */
int mallard_is_remote(const void* p);

/* Returns the bytes in use, whoever allocated them, as far as they are not at hand for the calling
 * thread. */
size_t mallard_unfreed_bytes(void);

/* Effects: where malloc_stats writes to, at first the standard error; and whether it has a line for
 * every size, as it has at first. Return what was set before. */
int mallard_stats_descriptor(int descriptor);
int mallard_stats_all(int all);

/* Heaps of a program's own: what is allocated from one is freed one by one, or all at once with the
 * heap. Any thread may use any heap; each has a lock. malloc_usable_size, free and realloc take
 * their blocks too; realloc gives memory of the same heap. */
typedef struct mallard_heap mallard_heap;

/* Returns an empty heap, of about a KiB; null and ENOMEM when there is no memory. */
mallard_heap* mallard_heap_create(void);

/* Returns a block of at least `bytes`, aligned to `alignment`, a power of two, and to 16; 0 is the
 * same as 16. Null and ENOMEM or EINVAL when there is none. In a signal handler that has
 * interrupted malloc the block is of no heap. */
void* mallard_heap_allocate(mallard_heap* heap, size_t bytes, size_t alignment);

/* Effects: takes back a block of this heap, or null. The same as free(p). */
void mallard_heap_free(mallard_heap* heap, void* p);

/* Returns 1 when the block, of any heap or of malloc, is this heap's. */
int mallard_heap_owns(const mallard_heap* heap, const void* p);

/* Effects: gives back all memory of the heap, also that of blocks in use, and the heap itself. No
 * other call with the heap or its blocks may be in flight, nor follow, and no scope of it may be
 * open: that ends the program. Null is no heap: nothing is done. Complexity: O(slabs + blocks above
 * 8 MiB). */
void mallard_heap_destroy(mallard_heap* heap);

/* A scope: until it ends, what the calling thread allocates, by whatever name, comes from a heap of
 * its own. Scopes nest; threads do not share them. C++ has a class for it,
 * mallard/malloc/malloc_scope.hpp. */
typedef struct mallard_scope mallard_scope;

/* Effects: opens a scope of the heap; of a new one if that is null, which lives as long as a block
 * of it. Returns null when there is no memory, in a signal handler that has interrupted malloc, and
 * in the last rounds of a thread's destructors: then all stays as it is. */
mallard_scope* mallard_scope_begin(mallard_heap* heap);

/* Returns how many blocks of the scope's heap are in use, whoever allocated them. What other
 * threads have at hand for open scopes of the same heap counts. */
size_t mallard_scope_survivors(const mallard_scope* scope);

/* Effects: ends the scope, and those that were opened after it. Without a survivor the memory of
 * its heap goes at once, but for a mebibyte at most that the heap keeps; survivors stay as they
 * are, and their memory goes as they go. Returns how many survive. Null is no scope, and 0. On
 * another thread than the scope was opened on, or a second time: that ends the program. */
size_t mallard_scope_end(mallard_scope* scope);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
