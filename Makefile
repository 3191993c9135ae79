# The front door.  `make` sets everything up, builds and runs the main job; `make test` does the same and tests.
JOBS ?= $(shell nproc)
CMAKE ?= cmake
CTEST_FLAGS ?=
FUZZ_SECONDS ?= 600

.PHONY: all setup configure build demo test test-gcc test-clang test-asan test-tsan test-x86 test-clients fuzz bench format install clean help

all: demo

help:
	@echo 'make            install what is missing (Debian), build, run the demo'
	@echo 'make test       the same set-up, then every test: gcc build, clang build, sanitizer build'
	@echo 'make test-tsan  the OpenCL tests with ThreadSanitizer'
	@echo 'make test-x86   the tests as x86-64 programs under qemu on another host; both must agree byte for byte'
	@echo 'make test-clients  OpenCL programs of Debian on our platform: installs them, checks their results'
	@echo 'make build      only build: build/bin/cy'
	@echo 'make demo       compile, run, assemble and disassemble examples; paint a picture through OpenCL'
	@echo 'make fuzz       libFuzzer with sanitizers, long (FUZZ_SECONDS=600 for each fuzzer)'
	@echo 'make bench      speed next to the LLVM tools, PoCL and Oclgrind'
	@echo 'make format     lay out the sources with clang-format'
	@echo 'make install    install cy and the headers (DESTDIR and PREFIX as usual)'
	@echo 'make clean      remove the build directories'

setup:
	scripts/setup.sh

build: setup
	$(CMAKE) --preset default
	$(CMAKE) --build --preset default -j $(JOBS)

demo: build
	scripts/demo.sh build/bin/cy

# The three builds one after the other: each already uses every core.
test: setup
	$(MAKE) test-gcc
	$(MAKE) test-clang
	$(MAKE) test-asan

test-gcc: build
	cd build && ctest -j $(JOBS) --output-on-failure --timeout 300 -LE '^(pocl|packaged)$$' $(CTEST_FLAGS)

# The second compiler's warnings with optimisation on; its code runs in the sanitizer build.
test-clang: setup
	$(CMAKE) --preset clang
	$(CMAKE) --build --preset clang -j $(JOBS)

test-asan: setup
	$(CMAKE) --preset asan
	$(CMAKE) --build --preset asan -j $(JOBS)
	cd build-asan && ctest -j $(JOBS) --output-on-failure --timeout 600 -LE '^(lint|noasan)$$' $(CTEST_FLAGS)

# What threads do to each other in the OpenCL runtime and the machine below it.
test-tsan: setup
	$(CMAKE) --preset tsan
	$(CMAKE) --build --preset tsan -j $(JOBS)
	cd build-tsan && ctest -j $(JOBS) --output-on-failure --timeout 600 -L '^(cl|tsan)$$' -LE '^(noasan|notsan)$$' $(CTEST_FLAGS)

# The other kind of host, emulated: an hour and more.  What is left out needs a program of the host in our process, measures
# time, or says nothing more; the tests by name map hundreds of windows of 4 GiB, for each of which qemu 7.2 keeps tables
# (docs/testing.md).
X86_LEAVES_OUT = -LE '^(lint|docs|clients|packaged|noasan|pocl)$$' -E '^gpu_(semantics|prefixes|warp_faults)$$'
test-x86: build
	scripts/setup.sh packages-x86.txt
	scripts/x86.sh $(CMAKE) --preset x86
	scripts/x86.sh $(CMAKE) --build --preset x86 -j $(JOBS)
	scripts/x86.sh ctest --test-dir build-x86 -j $(JOBS) --output-on-failure --timeout 3600 \
	    $(X86_LEAVES_OUT) $(CTEST_FLAGS)
	scripts/x86.sh scripts/compare-hosts.py build build-x86

# Large packages and long runs: `make test` leaves the label `packaged` out.
test-clients: build
	scripts/setup.sh packages-clients.txt
	cd build && ctest -j $(JOBS) --output-on-failure -L '^clients$$' $(CTEST_FLAGS)

fuzz: setup
	$(CMAKE) --preset fuzz
	$(CMAKE) --build --preset fuzz -j $(JOBS)
	cd build-fuzz && CY_FUZZ_SECONDS=$(FUZZ_SECONDS) ctest -j $(JOBS) -L '^fuzz$$' -V \
	    --timeout $$(($(FUZZ_SECONDS) + 300)) $(CTEST_FLAGS)

bench: build
	scripts/bench.sh build/bin/cy

format:
	git ls-files -z --cached --others --exclude-standard -- 'src/*.[ch]' 'tools/*.[ch]' 'tests/*.[ch]' 'include/*.h' \
	    | xargs -0 -r clang-format -i

install: build
	$(CMAKE) --install build $(if $(PREFIX),--prefix $(PREFIX))

clean:
	rm -rf build build-clang build-asan build-tsan build-x86 build-fuzz
