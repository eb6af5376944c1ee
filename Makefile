# Two commands matter on a fresh Debian machine: `make demo` and `make test`.

JOBS ?= $(shell nproc)
RESULTS ?= results
MALLARD = build/release/tools/mallard
FORMAT = clang-format-19
SOURCES = $(shell git ls-files '*.hpp' '*.cpp')

.PHONY: all demo test bench format lint sanitize aarch64 riscv64 musl packages test-programs stress fuzz site pictures deps clean

all: deps build/release/CMakeCache.txt
	cmake --build --preset release -j $(JOBS) --target mallard_tool mallard_malloc

deps:
	@packaging/install-deps.sh

build/%/CMakeCache.txt: | deps
	cmake --preset $* $(CMAKE_ARGS)

# A first look: advice on a C++ program that a local allocator makes faster, then some of the paper's
# benchmarks and mallocs, quickly, and the report. It installs and builds no more than that needs.
DEMO = density locality churn
DEMO_density = --ds 1,9 --sizes 6,10
DEMO_locality = --subsystem 4,12
DEMO_RESULTS = $(DEMO:%=$(RESULTS)/demo-%.jsonl)
DEMO_MALLARD = build/demo/tools/mallard
demo:
	@packaging/install-deps.sh demo
	@cmake --preset demo $(CMAKE_ARGS) >/dev/null
	@cmake --build --preset demo -j $(JOBS)
	@mkdir -p $(RESULTS)
	@echo; echo "== advise: a tokenizer, examples/validation/tokenizer.cpp"
	$(DEMO_MALLARD) advise --within 30 --force -o $(RESULTS)/demo-advice.html -- \
	  build/demo/examples/mallard_validation_tokenizer_plain 500
	@$(foreach bench,$(DEMO),echo; echo "== $(bench)"; \
	  $(DEMO_MALLARD) bench $(bench) --quick $(DEMO_$(bench)) --force --json $(RESULTS)/demo-$(bench).jsonl || exit 1;)
	$(DEMO_MALLARD) report $(DEMO_RESULTS) --force -o $(RESULTS)/demo.html
	@echo
	@echo "The advice is $(CURDIR)/$(RESULTS)/demo-advice.html, the report $(CURDIR)/$(RESULTS)/demo.html:"
	@echo "open them in any browser."

# Everything that CI runs, or what SUITE names of it: presets, folders of tests/, or both.
test: deps
	@packaging/run-tests.sh $(SUITE)

# Every figure the README and docs/results.md quote; an hour or so. See docs/method.md.
bench: deps build/release/CMakeCache.txt
	cmake --build --preset release -j $(JOBS)
	bench/run.sh $(RESULTS)

format:
	$(FORMAT) -i $(SOURCES)

lint: deps build/dev/CMakeCache.txt
	$(FORMAT) --dry-run --Werror $(SOURCES)
	shellcheck $(shell git ls-files '*.sh' packaging/debian/tests/library packaging/debian/tests/command)
	clang-tidy-19 --quiet -p build/dev $(filter %.cpp,$(filter src/%,$(SOURCES)))

LIBRARIES = mallard-malloc mallard-malloc-hardened mallard-malloc-sticky

# Real programs on each of the three libraries, and recorded; `make test` has a few of them.
test-programs: deps build/release/CMakeCache.txt
	@packaging/install-deps.sh programs
	@cmake --build --preset release -j $(JOBS) --target mallard_malloc mallard_malloc_hardened \
	  mallard_malloc_sticky mallard_tool mallard_record
	@for library in $(LIBRARIES); do \
	  echo "== $$library"; \
	  packaging/test-programs.sh build/release/src/malloc/lib$$library.so || exit 1; \
	done
	@echo "== mallard record"
	@packaging/test-programs.sh $(MALLARD)

# The command too under AddressSanitizer; `make test` has the library alone.
sanitize: deps
	@packaging/run-tests.sh asan-all

# Everything but benchmarks and examples for aarch64, by a cross compiler, and its tests in qemu.
aarch64:
	@packaging/install-deps.sh aarch64
	@packaging/run-tests.sh aarch64

# The libraries and the malloc for riscv64; the tests of the library's core run in qemu.
riscv64:
	@packaging/install-deps.sh riscv64
	@packaging/run-tests.sh riscv64

# The libraries and the malloc with musl's C library, by zig's compiler; the library's tests run here, by themselves
# and on each malloc. The malloc's own tests ask for names that glibc alone has.
musl:
	@packaging/install-deps.sh musl
	@packaging/zig.sh $(shell uname -m)-linux-musl build/zig-musl
	@packaging/run-tests.sh musl
	@for library in $(LIBRARIES); do \
	  echo "== $$library"; \
	  for suite in core checks resources; do \
	    LD_PRELOAD=$(CURDIR)/build/musl/src/malloc/lib$$library.so build/musl/tests/$$suite/$${suite}_tests \
	      --gtest_brief=1 || exit 1; \
	  done; \
	done

# Each package, built, installed where nothing else of ours is, and run; or those that ONLY names: wheel, musl_wheel,
# deb, conan, rust, release, site, oss_fuzz, machines.
packages:
	@packaging/install-deps.sh packages
	@packaging/test-packages.sh $(ONLY)

# 10^8 operations of 64 threads, compared with a model, on each of the three libraries. A seed by
# MALLARD_TEST_SEED, another number by MALLARD_TEST_OPERATIONS. Then calls that stand still at each instruction.
stress: deps build/release/CMakeCache.txt
	@cmake --build --preset release -j $(JOBS) --target malloc_preloaded_tests malloc_stepping_tests \
	  mallard_malloc mallard_malloc_hardened mallard_malloc_sticky
	@for library in $(LIBRARIES); do \
	  echo "== $$library"; \
	  LD_PRELOAD=build/release/src/malloc/lib$$library.so \
	    build/release/tests/malloc/malloc_preloaded_tests --gtest_also_run_disabled_tests \
	    --gtest_filter=*of_64_threads* || exit 1; \
	done
	@build/release/tests/malloc/malloc_stepping_tests --gtest_also_run_disabled_tests \
	  --gtest_filter=*at_every_instruction*

# Longer than the brief runs of `make test`: FUZZ_SECONDS for each target.
FUZZ_SECONDS ?= 300
fuzz: deps
	@packaging/run-fuzzers.sh $(FUZZ_SECONDS)

# The documents as a site that opens from disk, in results/site.
site: deps build/release/CMakeCache.txt
	@cmake --build --preset release --target mallard_tool -j $(JOBS)
	@packaging/site/build.sh $(MALLARD)

# The documents' pictures, from pages that the command makes now. Figures of time want a quiet machine.
pictures: deps build/release/CMakeCache.txt
	@cmake --build --preset release -j $(JOBS) --target mallard_tool mallard_malloc report_browser_driver \
	  mallard_validation_json_tree_plain mallard_validation_request_server_plain
	@node packaging/site/pictures.mjs build/release/tests/report/npm/node_modules $(MALLARD) \
	  build/release/examples $(PICTURES)

clean:
	rm -rf build
