//! Mallard's malloc as Rust's global allocator, on Linux.
//!
//! ```
//! #[global_allocator]
//! static GLOBAL: mallard_malloc::Mallard = mallard_malloc::Mallard;
//!
//! let words: Vec<String> = "a list of words".split(' ').map(str::to_owned).collect();
//! assert!(mallard_malloc::unfreed_bytes() > 0);
//! # drop(words);
//! ```
//!
//! The process's own malloc stays as it is: what C libraries of the program allocate is not of this heap. The environment
//! variable `MALLARD_MALLOC` sets limits and asks for figures, as the C header `mallard/malloc/malloc.h` says.
use std::alloc::{GlobalAlloc, Layout};
use std::os::raw::{c_int, c_void};

extern "C" {
    fn mallard_malloc(bytes: usize) -> *mut c_void;
    fn mallard_calloc(count: usize, bytes: usize) -> *mut c_void;
    fn mallard_realloc(p: *mut c_void, bytes: usize) -> *mut c_void;
    fn mallard_aligned_alloc(alignment: usize, bytes: usize) -> *mut c_void;
    fn mallard_aligned_realloc(p: *mut c_void, alignment: usize, bytes: usize) -> *mut c_void;
    fn mallard_free(p: *mut c_void);
    fn mallard_array_memalign_zeroed(alignment: usize, count: usize, bytes: usize) -> *mut c_void;
    fn mallard_malloc_usable_size(p: *mut c_void) -> usize;
    fn mallard_unfreed_bytes() -> usize;
    fn mallard_set_limit_bytes(bytes: usize);
    fn mallard_trim() -> c_int;
}

/// Every block of the malloc has this alignment.
const ALIGNMENT: usize = 16;

/// The allocator. All values are the same heap.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mallard;

// Sound: the functions do not unwind, give blocks of at least the layout's size and alignment or null, and a block may
// be freed by any thread.
unsafe impl GlobalAlloc for Mallard {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= ALIGNMENT {
            mallard_malloc(layout.size()).cast()
        } else {
            mallard_aligned_alloc(layout.align(), layout.size()).cast()
        }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        mallard_free(block.cast());
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= ALIGNMENT {
            mallard_calloc(1, layout.size()).cast()
        } else {
            mallard_array_memalign_zeroed(layout.align(), 1, layout.size()).cast()
        }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        if layout.align() <= ALIGNMENT {
            mallard_realloc(block.cast(), bytes).cast()
        } else {
            mallard_aligned_realloc(block.cast(), layout.align(), bytes).cast()
        }
    }
}

/// The bytes of all blocks that are not freed.
pub fn unfreed_bytes() -> usize {
    unsafe { mallard_unfreed_bytes() }
}

/// The bytes that may be used of a block of this heap.
///
/// # Safety
/// `block` is null or a block of this heap that is not freed.
pub unsafe fn usable_size(block: *const u8) -> usize {
    mallard_malloc_usable_size(block as *mut c_void)
}

/// What would make the heap larger than `bytes` fails from now on; 0 is no limit.
pub fn set_limit_bytes(bytes: usize) {
    unsafe { mallard_set_limit_bytes(bytes) }
}

/// Gives free memory back to the system, and tells whether there was some.
pub fn trim() -> bool {
    unsafe { mallard_trim() != 0 }
}
