# How tests are declared.  Every test runs with the source directory as its working directory and this environment:
#     CY         the `cy` tool of this build
#     CY_SOURCE  the source directory
#     CY_BUILD   the build directory
#     CY_PYTHON  the python3 that runs *.py tests
#     CY_TMP     a directory for the test, emptied before it runs
#     CHENGYING_CACHE=0  kernels are compiled, not taken from an earlier run's cache (a test of the cache sets its own)
# A test that needs a foreign tool names it after NEEDS; if the tool is missing the test fails and names the
# package to install.  Nothing is skipped.
#
# Labels with a meaning: the name of the tests/ directory (every test has it); `fuzz`, a test that reads
# CY_FUZZ_SECONDS and runs that long (`make fuzz`), a few seconds when it is not set; `noasan`, a test that the sanitizer
# build skips because it is meaningless there (a speed check); `long`, a test that only
# `make test-long` runs; `full`, the math functions over every float, which only `make test-full` runs; `longasan`, one that with sanitizers only `make test-long` runs; `packaged`, a client of scripts/packages-clients.txt, which
# only `make test-clients` runs; `deb`, the test of the Debian packages, which only `make test-deb` runs;
# `broken`, translators that are wrong on purpose, which only `make test-broken` has.

find_program(CY_PYTHON NAMES python3 HINTS /usr/bin REQUIRED)
find_program(CY_BASH NAMES bash REQUIRED)

# A test may define its own malloc, which the libraries must use.
set(CMAKE_C_VISIBILITY_PRESET default)

# cy_test(name source... [NEEDS tool...] [LABELS label...] [LIBS library...] [ARGS argument...] [TIMEOUT seconds])
# A C program, linked with every module.  It includes "support/test.h".
function(cy_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "NEEDS;LABELS;LIBS;ARGS")
    add_executable(test_${name} ${arg_UNPARSED_ARGUMENTS})
    target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    set_target_properties(test_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    cy_link_all(test_${name})
    target_link_libraries(test_${name} PRIVATE ${arg_LIBS})
    if(TARGET cy)
        add_dependencies(test_${name} cy)
    endif()
    cy_add_test(${name} "${arg_NEEDS}" "${arg_LABELS}" "${arg_TIMEOUT}" $<TARGET_FILE:test_${name}> ${arg_ARGS})
endfunction()

# cy_script_test(name script [argument...] [NEEDS tool...] [LABELS label...] [TIMEOUT seconds])
# A script next to the CMakeLists.txt that declares it: *.py by python3, *.sh by bash, anything else runs itself.
function(cy_script_test name script)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "TIMEOUT" "NEEDS;LABELS")
    cmake_path(ABSOLUTE_PATH script BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set(runner "")
    if(script MATCHES "\\.py$")
        set(runner ${CY_PYTHON})
    elseif(script MATCHES "\\.sh$")
        set(runner ${CY_BASH})
    endif()
    cy_add_test(${name} "${arg_NEEDS}" "${arg_LABELS}" "${arg_TIMEOUT}" ${runner} ${script} ${arg_UNPARSED_ARGUMENTS})
endfunction()

# Private: used by both kinds.  The directory of tests/<directory>/CMakeLists.txt is a label of each of its tests.
function(cy_add_test name needs labels timeout)
    cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME directory)
    add_test(NAME ${name}
        COMMAND ${CY_BASH} ${PROJECT_SOURCE_DIR}/tests/support/run.sh ${needs} -- ${ARGN}
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set(environment CY_SOURCE=${PROJECT_SOURCE_DIR} CY_BUILD=${PROJECT_BINARY_DIR}
        CY=${PROJECT_BINARY_DIR}/bin/cy CY_PYTHON=${CY_PYTHON} CY_TMP=${PROJECT_BINARY_DIR}/tests/tmp/${name}
        CHENGYING_CACHE=0)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}" LABELS "${directory};${labels}")
    if(timeout) # otherwise the Makefile's --timeout counts
        set_tests_properties(${name} PROPERTIES TIMEOUT ${timeout})
    endif()
endfunction()
