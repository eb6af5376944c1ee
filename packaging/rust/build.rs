//! Compiles the malloc from the sources in `vendor`, under names with a prefix: the same list, definitions and options
//! as vendor/src/malloc/CMakeLists.txt has.
use std::path::{Path, PathBuf};

/// The files of `set(<name> a.cpp b.cpp)`.
fn listed(lists: &str, name: &str) -> Vec<String> {
    let begin = lists.find(&format!("set({name}")).expect("a list of sources") + 4 + name.len();
    let end = begin + lists[begin..].find(')').expect("its end");
    lists[begin..end].split_whitespace().map(str::to_owned).collect()
}

fn main() {
    let root = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("vendor");
    let malloc: PathBuf = root.join("src/malloc");
    let lists = std::fs::read_to_string(malloc.join("CMakeLists.txt")).expect("vendor: run crate.sh");
    println!("cargo:rerun-if-changed=vendor");

    let mut build = cc::Build::new();
    build
        .cpp(true)
        .cpp_link_stdlib(None)
        .std("c++20")
        .opt_level(2)
        .pic(true)
        .include(root.join("include"))
        .include(root.join("src"))
        .include(malloc.join("plain"))
        .define("NDEBUG", None)
        .define("MALLARD_NO_ANNOTATIONS", None)
        .define("MALLARD_HIDDEN", None)
        .define("MALLARD_PREFIXED", None)
        .define("v1", "v1_of_malloc")
        .define("MALLARD_PAGE_CLIENT", "\"malloc/page_client.hpp\"")
        .define("MALLARD_SLAB_HOME", "\"malloc/slab_records.hpp\"");
    for flag in [
        "-fno-exceptions",
        "-fno-rtti",
        "-fno-builtin-malloc",
        "-fno-threadsafe-statics",
        "-fvisibility=hidden",
        "-fvisibility-inlines-hidden",
    ] {
        build.flag(flag);
    }
    for name in ["mallard_malloc_engine", "mallard_malloc_entry"] {
        for file in listed(&lists, name) {
            build.file(malloc.join(file));
        }
    }
    build.compile("mallard-malloc-prefixed");
}
