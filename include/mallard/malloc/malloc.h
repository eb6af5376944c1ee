/* Purpose: what the drop-in malloc offers beyond the functions of the C library. For C and C++.
 *
 *   #include <mallard/malloc/malloc.h>
 *   mallard_set_limit_bytes((size_t)1 << 30);
 *   mallard_trim();
 *   char text[16384];
 *   mallard_stats_json(text, sizeof text);
 *
 * Link with mallard::malloc or mallard::malloc_static. From outside, the environment variable
 * MALLARD_MALLOC makes the same settings. It is a list of NAME=VALUE with commas between:
 *
 *   idle=BYTES         the most free memory to keep for later, in all (by what is in use)
 *   background=on|off  a thread gives memory back while the program calls nothing (off)
 *   limit=BYTES        the most memory that blocks and what is around them may take (no limit)
 *   huge_pages=on|off|all
 *                      ask for huge pages: for much memory, never, for all (on)
 *   zero_on_free=on|off
 *                      hardened build: clear blocks when they are freed (off)
 *   wrong_sizes=abort|report
 *                      hardened build: end the program at a wrong size, or not (abort)
 *   stats=text|json|openmetrics
 *                      write figures to the standard error when the process ends
 *   guard=1/CALLS      put one in CALLS blocks between faulting pages; freed it faults, too (none)
 *   profile=BYTES      a heap profile, one sample in BYTES bytes, written at the end (none)
 *   profile_file=PATH  profiles are called PATH.PROCESS.NUMBER.pb (mallard-heap)
 *   profile_signal=USR1|USR2
 *                      write one at each such signal; also a number, but of no fault (none)
 *   profile_at=BYTES   write one each time that live memory has grown by BYTES (never)
 *
 * BYTES is a number, alone or with K, M or G behind it.
 *
 * Thread-safety: any thread may call all functions. Those that tell or set something allocate
 * nothing. */
#ifndef MALLARD_MALLOC_H
#define MALLARD_MALLOC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Effects: from now on at most about `bytes` of free memory stay with the process, whatever is in
 * use, and as much again of pages in slabs that no block touches. 0: all goes back to the system at
 * once. Before the first call both may be what was in use lately up to 128 MiB, or a quarter of it
 * if that is more, but at least 64 MiB and at most 256 MiB. */
void mallard_set_idle_bytes(size_t bytes);

/* Effects: from now on a request fails with ENOMEM if the memory taken from the system would exceed
 * `bytes`, as if the system refused. Slabs and mappings of huge blocks count in full, and so does
 * free memory that is kept, which goes first. 0: no limit. */
void mallard_set_limit_bytes(size_t bytes);

/* Effects: sets whether huge pages are asked for from now on, as huge_pages=on and =off do. */
void mallard_set_huge_pages(int on);

/* Effects: returns free memory to the system: of the calling thread, of ended and quiet threads,
 * and what is shared. Returns 1 if there was some, else 0. It does what malloc_trim(0) does. */
int mallard_trim(void);

/* Effects: writes figures as one JSON object and a null byte to `buffer`, cut off at `bytes`.
 * Returns the length of the whole object without the null byte, as snprintf does. Other threads go
 * on meanwhile, so the figures are not all of one moment. Free blocks in threads' magazines count
 * in `taken`, not in `in_use_bytes`. In a signal handler that has interrupted malloc there are no
 * figures, and the object says "interrupted". Complexity: O(memory in use / 16 KiB). */
size_t mallard_stats_json(char* buffer, size_t bytes);

/* Effects: writes this text in parts by `write(context, text, bytes)`, which may allocate. */
typedef void (*mallard_writer)(void* context, const char* text, size_t bytes);
void mallard_write_stats_json(mallard_writer write, void* context);

/* Effects: as above, as text in the OpenMetrics format, which Prometheus and the textfile collector
 * of its node exporter read. */
size_t mallard_stats_openmetrics(char* buffer, size_t bytes);
void mallard_write_stats_openmetrics(mallard_writer write, void* context);

/* A heap profile samples one in `bytes` bytes on average. It keeps the stack of the sampled block
 * and whether the block lives. So it tells which code allocated how much, and how much of that
 * lives. Blocks from before its beginning are not in it. */

/* Effects: begins it, or goes on with another distance. 0: 512 KiB. Returns 0, or ENOMEM. */
int mallard_profile_begin(size_t bytes);

/* Effects: ends sampling. Blocks that are samples stay in the profile until they are freed. */
void mallard_profile_end(void);

/* Effects: writes the profile to a file in pprof's format, which `mallard top`, `report` and `diff`
 * read. Returns 0 or an errno, EINVAL if no profile was begun; what cannot be written whole is left
 * empty. Allocates nothing. */
int mallard_profile_write(const char* path);

/* Effects: from now on one in `calls` allocations, of up to a page each and 255 at a time, lies
 * alone between pages that fault, and faults once it is freed. A wrong access ends the program,
 * with the stacks of access, allocation and free on the standard error. 0: none from now on.
 * Returns 0, or ENOMEM. */
int mallard_guard(size_t calls);

/* Memory by further verbs, after the interface of llheap (Zulfiqar 2022;
 * mallard/malloc/llheap_names.h has its names). Arrays have `count` elements of `bytes` bytes; one
 * that does not fit a size_t fails like any that is too large. free and realloc take all blocks.
 * Without a block, the functions that return one return null and set errno: ENOMEM, or EINVAL for
 * an alignment that is no power of two. */

void* mallard_array_alloc(size_t count, size_t bytes);
void* mallard_array_memalign(size_t alignment, size_t count, size_t bytes);
void* mallard_array_memalign_zeroed(size_t alignment, size_t count, size_t bytes);

/* Effects: as realloc, but the contents need not be kept: nothing is copied, and there need not be
 * memory for the old and the new block at once. The old block is gone even if it fails. */
void* mallard_resize(void* p, size_t bytes);
void* mallard_resize_array(void* p, size_t count, size_t bytes);
void* mallard_aligned_resize(void* p, size_t alignment, size_t bytes);
void* mallard_aligned_resize_array(void* p, size_t alignment, size_t count, size_t bytes);

/* Effects: as realloc, with an aligned block. Only the sticky build remembers the alignment. */
void* mallard_aligned_realloc(void* p, size_t alignment, size_t bytes);
void* mallard_aligned_realloc_array(void* p, size_t alignment, size_t count, size_t bytes);

/* Effects: as above, on `*p`, which stays as it is on failure. A block that gets 0 bytes is freed,
 * and `*p` becomes null. Returns 0, ENOMEM or EINVAL, and does not touch errno. */
int mallard_posix_realloc(void** p, size_t bytes);
int mallard_posix_realloc_array(void** p, size_t count, size_t bytes);
int mallard_posix_aligned_realloc(void** p, size_t alignment, size_t bytes);
int mallard_posix_aligned_realloc_array(void** p, size_t alignment, size_t count, size_t bytes);

/* Returns: the largest power of two that the block's address is a multiple of; in the sticky build
 * the requested alignment, at least 16. 0 for null. */
size_t mallard_alignment(const void* p);

/* Only in the sticky build, mallard::malloc_sticky: a program that calls them does not link with
 * the others. There each block remembers its alignment and what these return. realloc keeps
 * alignment and zero-fill: what it adds to a zero-filled block is zero. The functions called resize
 * drop both; those with an alignment set a new one. 0 for null. */
size_t mallard_request_size(const void* p); /* the bytes last asked for */
int mallard_zero_fill(const void* p);       /* 1 when allocated zeroed, else 0 */

/* Returns: 1 if the block lies in memory of another thread's heap. A block allocated here may do
 * so, too, after it was freed here before. Large blocks are of no thread's heap. The address has to
 * be a block's. */
int mallard_is_remote(const void* p);

/* Returns: the bytes in use, whoever allocated them, without free blocks in threads' magazines. */
size_t mallard_unfreed_bytes(void);

/* Effects: set where malloc_stats writes to, at first the standard error, and whether it has a line
 * for every size, as it has at first. Return what was set before. */
int mallard_stats_descriptor(int descriptor);
int mallard_stats_all(int all);

/* Heaps of a program's own: their blocks are freed one by one, or all at once with the heap. Any
 * thread may use any heap; each has a lock. malloc_usable_size, free and realloc take their blocks,
 * too; realloc stays in the heap. */
typedef struct mallard_heap mallard_heap;

/* Returns: an empty heap, of about a KiB; null and ENOMEM if there is no memory, or if the process has
 * 65,534 heaps, those of its threads included. */
mallard_heap* mallard_heap_create(void);

/* Returns: a block of at least `bytes`, aligned to 16 and to `alignment`, a power of two; 0 means
 * 16. Null and ENOMEM or EINVAL if there is none. In a signal handler that has interrupted malloc
 * the block is of no heap. */
void* mallard_heap_allocate(mallard_heap* heap, size_t bytes, size_t alignment);

/* Effects: frees a block of this heap, or null, as free(p) does. */
void mallard_heap_free(mallard_heap* heap, void* p);

/* Returns: 1 if the block, of any heap or of malloc, is this heap's; 0 for null. Other addresses, as
 * of variables or of blocks that were freed, are not allowed. */
int mallard_heap_owns(const mallard_heap* heap, const void* p);

/* Effects: frees all memory of the heap, including blocks in use, and the heap itself. No other
 * call with the heap or its blocks may be in flight or follow, nor may the C library keep any of
 * them from a scope: the buffer of stdout, tables of threads. An open scope of it ends the program.
 * Does nothing for null. Complexity: O(slabs + blocks above 8 MiB). */
void mallard_heap_destroy(mallard_heap* heap);

/* A scope: until it ends, all that the calling thread allocates, by whatever function, comes from a
 * heap of its own. Scopes nest; threads do not share them. For C++ there is a class,
 * mallard/malloc/malloc_scope.hpp. */
typedef struct mallard_scope mallard_scope;

/* Effects: opens a scope of `heap`; if that is null, of a new heap that lives as long as its last
 * block. Returns null if there is no memory, in a signal handler that has interrupted malloc, and
 * in the last rounds of a thread's destructors: then all stays as it is. */
mallard_scope* mallard_scope_begin(mallard_heap* heap);

/* Returns: the number of blocks of the scope's heap in use, whoever allocated them. It includes
 * free blocks that other threads keep ready for open scopes of this heap. */
size_t mallard_scope_survivors(const mallard_scope* scope);

/* Effects: ends the scope, and those opened after it. Without survivors the memory of its heap is
 * freed at once, except for a mebibyte at most that the heap keeps. Survivors stay valid, and their
 * memory is freed with them. Returns how many survive; 0 for null. Ending a scope on another
 * thread, or twice, ends the program. */
size_t mallard_scope_end(mallard_scope* scope);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
