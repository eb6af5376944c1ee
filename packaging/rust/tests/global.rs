//! A program on the allocator: layouts of all kinds, threads, and who owns the memory.
use std::alloc::{alloc, alloc_zeroed, dealloc, realloc, Layout};
use std::collections::HashMap;

#[global_allocator]
static GLOBAL: mallard_malloc::Mallard = mallard_malloc::Mallard;

// Other tests have little meanwhile.
#[test]
fn is_the_heap_of_the_program() {
    let block = vec![1u8; 90 << 20];
    assert!(mallard_malloc::unfreed_bytes() >= 90 << 20);
    assert!(unsafe { mallard_malloc::usable_size(block.as_ptr()) } >= 90 << 20);
    drop(block);
    assert!(mallard_malloc::unfreed_bytes() < 90 << 20);
}

#[test]
fn serves_every_layout() {
    for align in (0..=16).map(|bit| 1usize << bit) {
        for size in [1, 7, 24, 100, 4096, 70_000, 300_000] {
            let layout = Layout::from_size_align(size, align).unwrap();
            unsafe {
                let zeroed = alloc_zeroed(layout);
                assert!(!zeroed.is_null() && zeroed as usize % align == 0);
                assert!((0..size).all(|i| *zeroed.add(i) == 0));
                let block = alloc(layout);
                assert!(!block.is_null() && block as usize % align == 0);
                block.write_bytes(0x5c, size);
                let larger = realloc(block, layout, size * 3);
                assert!(!larger.is_null() && larger as usize % align == 0, "{size} {align}");
                assert!((0..size).all(|i| *larger.add(i) == 0x5c));
                dealloc(larger, Layout::from_size_align(size * 3, align).unwrap());
                dealloc(zeroed, layout);
            }
        }
    }
}

#[test]
fn frees_from_other_threads() {
    let made: Vec<HashMap<usize, String>> = (0..4)
        .map(|n| std::thread::spawn(move || (0..10_000).map(|i| (i, format!("{n} {i}"))).collect()))
        .collect::<Vec<_>>()
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect();
    assert_eq!(made.iter().map(HashMap::len).sum::<usize>(), 40_000);
}
