# The front door.  `make` sets everything up, builds and runs the main job; `make test` does the same and tests.
JOBS ?= $(shell nproc)
# Tests also wait: for children, time limits, each other.
TEST_JOBS ?= $(shell expr $(JOBS) + 1)
CMAKE ?= cmake
CTEST_FLAGS ?=
FUZZ_SECONDS ?= 600

.PHONY: all coverage test-coverage test-steps fuzz-backend fuzz-engines build-asan setup configure build demo test test-builds test-gcc test-clang test-asan test-tsan test-broken test-other-host test-other-host-all test-avx512 build-other-host test-clients test-deb test-recipes test-long test-full library fuzz bench format install deb clean help

all: demo

help:
	@echo 'make            install what is missing (Debian), build, run the demo'
	@echo 'make test       the same set-up, then every test: gcc build, clang build, sanitizer build'
	@echo 'make test-long  the tests that take minutes, and with sanitizers all of them'
	@echo 'make test-full  math functions and conversions over every float: hours (CTEST_FLAGS="-R cl_full_sin" for one)'
	@echo 'make test-tsan  the OpenCL tests with ThreadSanitizer'
	@echo 'make test-broken  translators that are wrong on purpose: found by the engine verify and by random programs'
	@echo 'make test-other-host  the tests for x86-64 on aarch64 and the reverse, under qemu; -all: those that take hours too'
	@echo 'make test-avx512  tests of the interpreter on an emulated x86-64 with AVX-512'
	@echo 'make test-clients  OpenCL programs of Debian on our platform: installs them, checks their results'
	@echo 'make coverage   which branches of our own code all tests but the long ones reach: build-coverage/'
	@echo 'make build      only build: build/bin/cy'
	@echo 'make demo       compile, run, assemble and disassemble examples; paint a picture through OpenCL'
	@echo 'make fuzz       libFuzzer with sanitizers, long (FUZZ_SECONDS=600 for each fuzzer)'
	@echo 'make fuzz-backend  random LLVM functions, the code for each level against that at -O0 (FUZZ_SECONDS)'
	@echo 'make fuzz-engines  random programs in the interpreter and in other configurations, until stopped'
	@echo 'make bench      speed next to the LLVM tools, PoCL and Oclgrind'
	@echo 'make format     lay out the sources with clang-format'
	@echo 'make install    build without tests and install below PREFIX=/usr/local (staged in DESTDIR)'
	@echo 'make deb        Debian packages in build-deb/; make test-deb installs and tries them in a clean root'
	@echo 'make test-recipes  the recipes of CONTRIBUTING.md, followed in a copy of the tree'
	@echo 'make clean      remove the build directories'

setup:
	scripts/setup.sh

# Says how long a step of `make test` took, next to its budget (docs/testing.md).
timed = scripts/timed.py

build: setup
	$(CMAKE) --preset default
	$(timed) 'gcc build' $(CMAKE) --build --preset default -j $(JOBS)

demo: build
	scripts/demo.sh build/bin/cy

# The three builds one after the other: each already uses every core.
test: setup
	scripts/unchanged.sh $(MAKE) test-builds

test-builds:
	$(timed) --start
	status=0; $(MAKE) test-steps || status=$$?; $(timed) --table; exit $$status

test-steps:
	$(MAKE) test-gcc
	$(MAKE) test-coverage
	$(MAKE) test-asan

not_in_make_test = '^(long|full|pocl|packaged|deb|recipes|slurm)$$'
test-gcc: build
	$(timed) --tests build 'gcc tests' ctest --test-dir build -j $(TEST_JOBS) --output-on-failure --timeout 600 \
	    -LE $(not_in_make_test) $(CTEST_FLAGS)

# The other builds copy the device library of this one.
library: setup
	$(CMAKE) --preset default
	$(CMAKE) --build --preset default -j $(JOBS) --target builtins
COPY_LIBRARY = -DCY_BUILTINS_FROM=$(CURDIR)/build
DEVICE_LIBRARY = device_library_ventus device_library_ventus-gen2 builtins

# The second compiler's warnings with -O2, without anything that counts or checks.
test-clang: library
	$(CMAKE) --preset clang $(COPY_LIBRARY)
	$(CMAKE) --build --preset clang -j $(JOBS) --target cy chengying chengying_cl chengying_llvm compile_server clang_zygote

# The second compiler's warnings, and which branches run in tests that reach most of them in little time; not below the floors.
COVERED = asm_errors asm_expect cc_backend_parts cc_ir_text cc_optimise cc_passes cc_waits debug_scenarios dis_oracle dis_roundtrip engines_assembly engines_assembly_rows gpu_engine \
    gpu_observer gpu_prefixes gpu_scalar gpu_semantics gpu_simt gpu_vector gpu_warp_faults isa_assembler isa_custom isa_effects isa_llvm isa_manual \
    isa_tables jit_control jit_exchanges jit_forms jit_growth jit_hosts jit_import_against_interpreter jit_import_random jit_import_some \
    jit_import_text jit_loops jit_passes jit_prints jit_sir jit_subgroups_gen2 jit_svm jit_tiers jit_vector_length jit_workitem jit_workitem_gen2 kernels_asm_jit kernels_locks_jit kernels_vectors \
    kernels_vectors_gen2 profile_engines sir_build sir_fold sir_passes sir_text sir_validate
COVERED_PROGRAMS = assembly_run bench_opencl gpu_runner isa_dump jit_forms jit_import_against_interpreter jit_import_all run_kernels test_cc_backend_parts test_cc_ir_text \
    test_cc_optimise test_cc_passes test_cl_svm test_gpu_engine test_gpu_observer test_gpu_prefixes test_gpu_semantics test_gpu_simt \
    test_gpu_warp_faults test_isa_effects test_isa_tables test_jit_growth test_jit_hosts test_jit_import_text test_jit_passes test_jit_tiers \
    test_jit_vector_length test_sir_build test_sir_fold test_sir_passes test_sir_text test_sir_validate
coverage_preset = $(CMAKE) --preset coverage $(COPY_LIBRARY)
coverage_build = $(CMAKE) --build --preset coverage -j $(JOBS)
test-coverage: library
	$(coverage_preset)
	$(timed) 'coverage build' $(coverage_build) --target cy chengying chengying_cl chengying_llvm compile_server clang_zygote $(DEVICE_LIBRARY) $(COVERED_PROGRAMS)
	rm -rf build-coverage/coverage
	$(timed) --tests build-coverage 'coverage tests' ctest --test-dir build-coverage -j $(TEST_JOBS) --output-on-failure --timeout 600 \
	    -R $(call any_of,$(COVERED))
	scripts/coverage.py --floors tests/coverage_floors.txt

# All tests that are not long; those that ThreadSanitizer or others cannot run say nothing about branches either.
coverage: library
	$(coverage_preset)
	$(coverage_build)
	rm -rf build-coverage/coverage
	-ctest --test-dir build-coverage -j $(TEST_JOBS) --output-on-failure --timeout 1200 -LE '^(lint|noasan|long|full|pocl|packaged|deb|recipes|slurm)$$' $(CTEST_FLAGS)
	scripts/coverage.py --floors tests/coverage_floors.txt

test-asan: build-asan
	$(timed) --tests build-asan 'asan tests' ctest --test-dir build-asan -j $(TEST_JOBS) --output-on-failure --timeout 600 \
	    -LE '^(lint|noasan|long|longasan)$$' $(CTEST_FLAGS)

build-asan: library
	$(CMAKE) --preset asan $(COPY_LIBRARY)
	$(timed) 'asan build' $(CMAKE) --build --preset asan -j $(JOBS)

test-long: build build-asan
	cd build && ctest -j $(JOBS) --output-on-failure --timeout 3600 -L '^long$$' $(CTEST_FLAGS)
	cd build-asan && ctest -j $(JOBS) --output-on-failure --timeout 3600 -L '^long(asan)?$$' -LE '^(lint|noasan)$$' $(CTEST_FLAGS)

# The engine verify and random programs, with translators that are wrong on purpose (docs/testing.md).
test-broken: library
	$(CMAKE) --preset broken $(COPY_LIBRARY)
	$(CMAKE) --build --preset broken -j $(JOBS) --target cy chengying_cl chengying_llvm compile_server clang_zygote run_engines assembly_run $(DEVICE_LIBRARY)
	cd build-broken && ctest --output-on-failure -L '^broken$$' $(CTEST_FLAGS)

# Every float: minutes to an hour for each function, each on all cores.
test-full: build
	cd build && ctest --output-on-failure --timeout 86400 -L '^full$$' $(CTEST_FLAGS)

# Data races in the OpenCL runtime and the machine below it.
test-tsan: library
	$(CMAKE) --preset tsan $(COPY_LIBRARY)
	$(CMAKE) --build --preset tsan -j $(JOBS)
	cd build-tsan && ctest -j $(JOBS) --output-on-failure --timeout 1800 -L '^(cl|tsan)$$' -LE '^(noasan|notsan)$$' $(CTEST_FLAGS)

# The other kind of host, emulated by qemu (docs/testing.md).  Tests of engine and arithmetic run on the oldest processor and on one
# with all extensions that qemu supports.
OTHER_HOST_ENGINE = gpu_engine gpu_fp_guest gpu_fp_hardware gpu_fp_lanes.* gpu_vector
OTHER_HOST = $(OTHER_HOST_ENGINE) asm_api asm_errors asm_expect asm_same base_.* builtins_convert builtins_exact builtins_integer \
    builtins_memory builtins_system cc_backend_parts cc_optimise cc_printf cc_result cc_silent cl_errors cl_events cl_host_fp cl_info \
    cl_kernels cl_objects epic_divergence epic_encodings epic_float epic_insns epic_machine fuzz_asm fuzz_decode fuzz_elf fuzz_link \
    gpu_config gpu_dispatch gpu_faults gpu_launch gpu_memory gpu_print gpu_run gpu_simt hosts_digests isa_custom isa_tables \
    kernels_control kernels_integers kernels_structs link_api link_behaviour obj_.* tools_options
# Translated code; this machine compiles and translates it.
OTHER_HOST_JIT = jit_engine jit_engine_gen2 engines_assembly jit_shapes jit_subgroups jit_subgroups_gen2 jit_workitem \
    jit_workitem_gen2
empty :=
any_of = '^($(subst $(empty) $(empty),|,$(strip $(1))))$$'
other_host_test = scripts/other-host.sh ctest --test-dir build-other -j $(JOBS) --output-on-failure --timeout 3600
test-other-host: build-other-host
	$(other_host_test) -R $(call any_of,$(OTHER_HOST)) $(CTEST_FLAGS)
	QEMU_CPU=max $(other_host_test) -R $(call any_of,$(OTHER_HOST_ENGINE)) $(CTEST_FLAGS)
	CY_NATIVE_COMPILER=1 $(other_host_test) -R $(call any_of,$(OTHER_HOST_JIT)) $(CTEST_FLAGS)
	CY_NATIVE_COMPILER=1 QEMU_CPU=max $(other_host_test) -R $(call any_of,$(OTHER_HOST_JIT)) $(CTEST_FLAGS)

# Hours.  Skipped are tests that load a host library into our process, measure time, or add nothing; the named ones map
# hundreds of 4 GiB windows, for each of which qemu 7.2 keeps tables.
test-other-host-all: build-other-host
	$(other_host_test) -LE '^(lint|docs|clients|packaged|noasan|pocl)$$' -E '^gpu_(semantics|prefixes|warp_faults)$$' $(CTEST_FLAGS)
	scripts/other-host.sh scripts/compare-hosts.py build build-other

# The level of x86-64 that qemu 7.2 lacks, on a machine that Bochs emulates: what does not run translated code.  Ten minutes.
AVX512 = gpu_engine gpu_fp_hardware gpu_fp_lanes jit_hosts
ifeq ($(shell uname -m),x86_64)
test-avx512: build
	scripts/setup.sh packages-emulated.txt
	scripts/emulated.sh build $(AVX512)
else
test-avx512: build-other-host
	scripts/setup.sh packages-emulated.txt
	scripts/emulated.sh build-other $(AVX512)
endif

build-other-host: build
	scripts/setup.sh packages-other-host.txt
	scripts/other-host.sh $(CMAKE) --preset other-host
	scripts/other-host.sh $(CMAKE) --build --preset other-host -j $(JOBS)

# Large packages and long runs: `make test` skips the label `packaged`.
test-clients: build
	scripts/setup.sh packages-clients.txt
	cd build && ctest -j $(JOBS) --output-on-failure -L '^clients$$' $(CTEST_FLAGS)

# Random programs in every configuration, until stopped (docs/testing.md); ENGINES='--from 5000 --count 1000' for some.
fuzz-engines: build
	tests/fuzz/engines/engines.py fuzz --pocl --log build/engines.log --findings build/findings $(ENGINES)

fuzz: setup
	$(CMAKE) --preset fuzz
	$(CMAKE) --build --preset fuzz -j $(JOBS)
	cd build-fuzz && CY_FUZZ_SECONDS=$(FUZZ_SECONDS) ctest -j $(JOBS) -L '^fuzz$$' -V \
	    --timeout $$(($(FUZZ_SECONDS) + 300)) $(CTEST_FLAGS)

# LLVM's code for each level of this host, and for aarch64 under qemu (tests/fuzz/backend); what differs is left in build/fuzz-backend.
fuzz-backend: build
	mkdir -p build/fuzz-backend
	CY_BUILD=$(CURDIR)/build CY_TMP=$(CURDIR)/build/fuzz-backend tests/fuzz/backend/backend.py --seed $(or $(SEED),1000) --seconds $(FUZZ_SECONDS)

bench: build
	scripts/bench.sh build/bin/cy

format:
	git ls-files -z --cached --others --exclude-standard -- 'src/*.[ch]' 'tools/*.[ch]' 'tests/*.[ch]' 'include/*.h' \
	    | xargs -0 -r clang-format -i

# A separate build: for this prefix, without tests, stripped.
PREFIX ?= /usr/local
install:
	scripts/setup.sh packages-build.txt
	$(CMAKE) --preset install -DCMAKE_INSTALL_PREFIX=$(PREFIX)
	$(CMAKE) --build --preset install -j $(JOBS)
	DESTDIR=$(DESTDIR) $(CMAKE) --install build-install --strip

# Debian packages in build-deb/, and their test in a clean root.
deb:
	scripts/setup.sh packages-build.txt packages-deb.txt
	JOBS=$(JOBS) scripts/deb.sh

test-deb: build deb
	cd build && ctest --output-on-failure -L '^deb$$' $(CTEST_FLAGS)

# CONTRIBUTING.md's recipes, followed in a copy of the tree that is built for it.
test-recipes: build
	cd build && ctest --output-on-failure -L '^recipes$$' $(CTEST_FLAGS)

clean:
	rm -rf build build-deb build-install build-clang build-coverage build-asan build-tsan build-broken build-other build-fuzz
