# The short commands. All of them call CMake presets (CMakePresets.json); build folders are
# build/<preset>. `make demo` and `make check` are all the set-up a fresh Debian 12 needs.
JOBS ?= $(shell nproc)
# Tests that measure time ask ctest for the machine alone; the others may share it, and many of them sleep.
TEST_JOBS ?= 3
CTEST_ARGS ?=
.DEFAULT_GOAL := build
.PHONY: build check nightly conformance matrix bench demo package lab scale dev asan tsan races clang locks format tidy clean help

help: ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):[^#]*## */  make \1\t/' | expand -t 20

# $(call preset,NAME): configure once, then build what changed.
define preset
	@test -f build/$(1)/build.ninja || cmake --preset $(1)
	@cmake --build --preset $(1) -j $(JOBS)
endef
define suite
	@ctest --preset $(1) -j $(TEST_JOBS) $(CTEST_ARGS)
endef

build: ## the release: build/release/bin/xylem and build/release/lib
	@scripts/install-deps build
	$(call preset,release)

check: ## build with invariants and warnings as errors, run all tests but the nightly ones
	@scripts/install-deps build test
	@scripts/install-deps llvm || echo "Going on without LLVM's tests and flang"
	$(call preset,check)
	$(call suite,check)

nightly: ## what every change leaves out: the matrix of settings, whole programs, memory nodes, sanitizers whole
	@scripts/install-deps build test
	@scripts/install-deps apps || echo "Going on without the programs of tests/apps"
	@scripts/install-deps lab || echo "Going on without the emulated machines of tests/numa"
	@scripts/install-deps scale || echo "Going on without the coherence meter"
	@scripts/install-deps llvm || echo "Going on without LLVM's tests and flang"
	$(call preset,check)
	@cmake --build build/check -j $(JOBS) --target clang_programs fuzz_programs
	$(call suite,nightly)
	@$(MAKE) asan tsan clang tidy

package: ## a Debian package and a wheel, in build/packages
	@scripts/install-deps build package
	$(call preset,package)
	@scripts/package build/package build/packages

demo: ## the main job: surface reconstruction under three OpenMP runtimes
	@scripts/install-deps build demo
	$(call preset,release)
	@scripts/demo

# Every configuration of GCC's and LLVM's own OpenMP tests; CONFORMANCE_ARGS="--repeat 5" for more
# rounds. LLVM's are skipped (77) where they cannot be had.
CONFORMANCE_ARGS ?=
conformance: ## GCC's and LLVM's own OpenMP tests, all of them, on the stock runtimes and on Xylem
	@scripts/install-deps build test
	@scripts/install-deps llvm || echo "Going on without what LLVM's tests need"
	$(call preset,check)
	@tests/conformance/libgomp/conformance --library build/check/lib --work build/check/conformance \
	  --configurations all --jobs 2 $(CONFORMANCE_ARGS)
	@tests/conformance/llvm/conformance --library build/check/lib --work build/check/conformance-llvm \
	  --configurations all --jobs 2 $(CONFORMANCE_ARGS) || [ $$? = 77 ]

# MATRIX_ARGS="--tests threads_errno --runs 20" for a part.
MATRIX_ARGS ?=
matrix: ## what a thread is given: its tests, 200 times in a row, in every tier, interposed or not, 2 and 16 threads
	@scripts/install-deps build test
	$(call preset,check)
	@tests/matrix/matrix $(MATRIX_ARGS)

# BENCH_ARGS="--group regions --rounds 3" for a part; docs/bench.md.
BENCH_ARGS ?=
bench: ## Xylem beside libgomp, libomp and libiomp5, line by line
	@scripts/install-deps build demo
	@scripts/install-deps bench || echo "Going on without the programs that cannot be had"
	$(call preset,release)
	@PYTHONDONTWRITEBYTECODE=1 bench/run $(BENCH_ARGS)

# SCALE_ARGS="--case barrier --threads 256"; docs/scale.md.
SCALE_ARGS ?=
scale: ## count the cache lines that change hands between threads, beside the other runtimes
	@scripts/install-deps build scale
	$(call preset,release)
	@lab/coherence/run $(SCALE_ARGS)

# LAB_ARGS="--machine asymmetric -- COMMAND..." for another machine and command; docs/lab.md.
LAB_ARGS ?= --env LD_LIBRARY_PATH=build/release/lib -- build/release/bin/xylem topo
lab: ## boot a machine with four memory nodes and run a command in it
	@scripts/install-deps build lab
	$(call preset,release)
	@lab/fetch
	@lab/run $(LAB_ARGS)

dev: ## debug build and its tests
	@scripts/install-deps build test
	$(call preset,dev)
	$(call suite,dev)

asan: ## the suite under AddressSanitizer
	@scripts/install-deps build test
	$(call preset,asan)
	$(call suite,asan)

tsan: ## the suite under ThreadSanitizer
	@scripts/install-deps build test
	$(call preset,tsan)
	$(call suite,tsan)

races: ## the library's concurrency under ThreadSanitizer, as in every change
	@scripts/install-deps build test
	@test -f build/tsan/build.ninja || cmake --preset tsan
	@cmake --build --preset races -j $(JOBS)
	$(call suite,races)

clang: ## compile all with clang, its warnings and thread-safety analysis as errors
	@scripts/install-deps build test lint
	$(call preset,clang)

locks: ## the same of the library alone, as in every change
	@scripts/install-deps build test lint
	@test -f build/clang/build.ninja || cmake --preset clang
	@cmake --build --preset locks -j $(JOBS)

format: ## rewrite the sources in the house style
	@scripts/install-deps lint
	@git ls-files -co --exclude-standard -- '*.hpp' '*.cpp' '*.h' '*.c' | xargs clang-format -i

# TIDY_SINCE=COMMIT for what is not as it was there; TIDY_SINCE=changed: where HEAD left main, or HEAD~1.
TIDY_SINCE ?=
tidy: ## clang-tidy over src/, only what changed since it last passed
	@scripts/install-deps build test lint
	@test -f build/check/build.ninja || cmake --preset check
	@scripts/tidy build/check $(JOBS) $(TIDY_SINCE)

clean: ## remove everything built
	rm -rf build
