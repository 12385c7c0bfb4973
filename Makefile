# SPDX-License-Identifier: Apache-2.0
# Short commands over CMake (CMakeLists.txt, CMakePresets.json); each says in its line what it does.
.NOTPARALLEL:
.DEFAULT_GOAL := all

PREFIX ?= /usr/local
SECONDS ?= 60
WERROR ?= ON
JOBS ?= $(shell nproc 2> /dev/null || echo 2)

# On a bare machine the first thing that is missing is cmake; what installs it is known here.
need_cmake = command -v cmake > /dev/null || { echo "cmake is not installed: \`make demo\` installs what is missing (tools/setup)" >&2; exit 1; }
configure = $(need_cmake) && cmake --preset $(1) -DSCARCE_WERROR=$(WERROR) > /dev/null
build = $(call configure,$(1)) && cmake --build build$(2) $(if $(3),--target $(3)) -- -j$(JOBS)
ctest = ctest --test-dir $(1) -j$(JOBS) --output-on-failure --no-tests=error
C_FILES = find include src programs tests examples python -name '*.[ch]' 2> /dev/null | LC_ALL=C sort

all: ## the program build/scarce and both libraries
	@$(call build,release,,ship)

demo: ## installs what is missing, builds, and runs the main job on made-up payments
	@tools/setup demo
	@$(MAKE) --no-print-directory all || $(MAKE) --no-print-directory all WERROR=OFF
	@tools/demo

test: ## installs what is missing, builds plain and with sanitizers, runs all tests
	@tools/setup test
	@$(call build,release)
	@$(call build,asan,/asan)
	@$(call build,tsan,/tsan)
	@mkdir -p build/all
	@printf 'subdirs("%s")\n' "$(CURDIR)/build" "$(CURDIR)/build/asan" "$(CURDIR)/build/tsan" \
		> build/all/CTestTestfile.cmake
	@$(call ctest,build/all)

test-cli: ## the tests of the program alone; UPDATE=1 rewrites what they expect
	@$(call build,release)
	@$(call ctest,build) -R '\.cli\.'

asan: ## tests with the address and undefined-behaviour sanitizers, and failing allocations
	@tools/setup test
	@$(call build,asan,/asan)
	@$(call ctest,build/asan)

tsan: ## tests with the thread sanitizer
	@tools/setup test
	@$(call build,tsan,/tsan)
	@$(call ctest,build/tsan)

fuzz: ## every fuzz target for SECONDS=60 of CPU from its corpus (JOBS=1 side by side, TARGETS="csv model")
	@tools/setup test
	@$(call build,fuzz,/fuzz)
	@JOBS=$(or $(JOBS),1) tools/fuzz build/fuzz $(SECONDS) $(TARGETS)

bench: ## measurements against other programs (bench/run)
	@tools/setup demo
	@$(call build,bench,/bench)
	@SCARCE="$(CURDIR)/build/bench/scarce" bench/run

check: ## all tests, then the linters
	@tools/setup check
	@$(MAKE) --no-print-directory test
	@cppcheck --quiet --std=c11 --language=c -j$(JOBS) --error-exitcode=1 --inline-suppr \
		--enable=warning,performance,portability --suppressions-list=tools/cppcheck.txt \
		-D_GNU_SOURCE -DSCARCE_HAVE_ZLIB -DSCARCE_HAVE_ZSTD -DSCARCE_HAVE_LIBLINEAR \
		-Iinclude -Isrc src programs
	@$(C_FILES) | xargs clang-format --dry-run -Werror

format: ## lays out all sources as .clang-format says
	@tools/setup check
	@$(C_FILES) | xargs clang-format -i

asan-python: ## the Python extension with the address sanitizer, under its tests of hostile input, frames and models
	@tests/python/asan . build

wheel: ## the Python package as build/wheels/scarce-*.whl (pip install . does the same and installs it)
	@python3 -m pip wheel --quiet --no-deps -w build/wheels . && ls build/wheels

install: all ## program, man pages, completions, libraries, headers, pkg-config file under PREFIX=/usr/local
	@cmake --install build --prefix "$(PREFIX)"

clean: ## removes build/
	@cmake -E rm -rf build

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

.PHONY: all demo test test-cli asan tsan fuzz bench check format asan-python wheel install clean help
