# How every target of the project is compiled, and the functions that declare modules.

include(GNUInstallDirs)

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON) # the libraries also go into a shared one
set(CMAKE_C_VISIBILITY_PRESET hidden) # what leaves a shared library is marked CY_API
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
# CMake's RelWithDebInfo sets -DNDEBUG; our asserts state invariants and stay on.
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")

find_package(Threads REQUIRED)

# isa/shapes.h: the last column of formats.def as a macro for each format, which the expansion of an instruction's row can name.
set(CY_GENERATED ${PROJECT_BINARY_DIR}/generated)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/isa/formats.def)
file(STRINGS ${PROJECT_SOURCE_DIR}/src/isa/formats.def rows REGEX "^FORMAT\\(")
set(shapes "/* Made from src/isa/formats.def. */\n")
foreach(row IN LISTS rows)
    if(NOT row MATCHES "^FORMAT\\(([A-Z0-9]+), *0x[0-9a-f]+, *\"[^\"]*\", *([A-Z]+\\([A-Z0-9_, ]*\\))\\)$")
        message(FATAL_ERROR "formats.def: not FORMAT(ID, mask, \"syntax\", shape): ${row}")
    endif()
    string(APPEND shapes "#define CY_SHAPE_${CMAKE_MATCH_1} ${CMAKE_MATCH_2}\n")
endforeach()
file(CONFIGURE OUTPUT ${CY_GENERATED}/isa/shapes.h CONTENT "${shapes}" @ONLY) # written only if it changes

# Warnings, sanitizers, include directories: everything that is not specific to one target.
add_library(cy_common INTERFACE)
target_include_directories(cy_common INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include ${CY_GENERATED})
target_compile_options(cy_common INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wcast-qual
    $<$<BOOL:${CY_WERROR}>:-Werror>
    $<$<C_COMPILER_ID:Clang>:-Wno-string-conversion>) # assert(!"never here") is meant
target_link_libraries(cy_common INTERFACE Threads::Threads m)
# Programs load only what they call: most do not need the compiler's LLVM.
target_link_options(cy_common INTERFACE -Wl,--as-needed)
if(CY_SANITIZE)
    set(sanitize -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(cy_common INTERFACE ${sanitize} -O1 -gline-tables-only) # enough for reports, and built sooner
    target_link_options(cy_common INTERFACE ${sanitize})
endif()

if(CY_TSAN)
    set(sanitize -fsanitize=thread -fno-omit-frame-pointer)
    target_compile_options(cy_common INTERFACE ${sanitize})
    target_link_options(cy_common INTERFACE ${sanitize})
endif()

if(CY_COVERAGE)
    if(NOT CMAKE_C_COMPILER_ID STREQUAL Clang)
        message(FATAL_ERROR "CY_COVERAGE needs clang: -DCMAKE_C_COMPILER=clang-19")
    endif()
    # All processes of a program or library count in one mapped file (%c, %m), in which nothing is lost when they are forked or killed.
    set(coverage "-fprofile-instr-generate=${PROJECT_BINARY_DIR}/coverage/%c%m.profraw")
    target_compile_options(cy_common INTERFACE ${coverage} -fcoverage-mapping "SHELL:-mllvm -runtime-counter-relocation"
        -O1 -gline-tables-only) # built sooner
    target_link_options(cy_common INTERFACE ${coverage})
endif()

set_property(GLOBAL PROPERTY CY_MODULES "")

# cy_hot(target): uses the flags for code that executes guest instructions.
function(cy_hot target)
    # Guest floating point runs on the host's: no implicit fused operations, no errno.
    # Sanitizers and counters keep most loops from being vectorised, and -O3 takes minutes over them.
    set(level $<IF:$<OR:$<BOOL:${CY_SANITIZE}>,$<BOOL:${CY_COVERAGE}>>,-O1,-O3>)
    target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo,Release>:${level}> -ffp-contract=off -fno-math-errno)
    # A lane loop that clang cannot vectorise is slower, not wrong.
    target_compile_options(${target} PRIVATE $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>)
endfunction()

# cy_module(name [DEPENDS module...] [HOT] [LEVELS source...]): the static library cy_<name> of all sources below src/<name>, where / becomes _ .
# HOT modules execute guest code: they are compiled with -O3.  A module without sources is skipped.
# The LEVELS are compiled once per level of the host (cy_levels), into the same library.
function(cy_module name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "HOT" "" "DEPENDS;LEVELS")
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.c)
    set(folder ${name})
    string(REPLACE / _ name ${name})
    if(NOT sources)
        return()
    endif()
    list(TRANSFORM arg_LEVELS PREPEND ${PROJECT_SOURCE_DIR}/src/${folder}/)
    list(REMOVE_ITEM sources "" ${arg_LEVELS})
    add_library(cy_${name} STATIC ${sources})
    target_link_libraries(cy_${name} PUBLIC cy_common)
    foreach(module IN LISTS arg_DEPENDS)
        if(TARGET cy_${module})
            target_link_libraries(cy_${name} PUBLIC cy_${module})
        endif()
    endforeach()
    if(arg_HOT)
        cy_hot(cy_${name})
    endif()
    if(arg_LEVELS)
        cy_levels(cy_${name} ${arg_LEVELS})
    endif()
    set_property(GLOBAL APPEND PROPERTY CY_MODULES cy_${name})
endfunction()

# The host architecture, as in the names of the level files.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(CY_LEVELS_HOST x86)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(CY_LEVELS_HOST aarch64)
else()
    set(CY_LEVELS_HOST other)
endif()

# cy_levels(target source...): compiles the sources into the target once per level of the host architecture, with the flags
# of the level's row in src/gpu/engine/levels_<host>.h and CY_LEVEL, its name.
function(cy_levels target)
    set(table ${PROJECT_SOURCE_DIR}/src/gpu/engine/levels_${CY_LEVELS_HOST}.h)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
    file(READ ${table} text)
    string(REGEX MATCHALL "LEVEL\\([a-z0-9]+, \"[^\"]*\"" rows "${text}")
    foreach(row IN LISTS rows)
        string(REGEX MATCH "LEVEL\\(([a-z0-9]+), \"([^\"]*)\"" matched "${row}")
        set(level ${CMAKE_MATCH_1})
        separate_arguments(flags UNIX_COMMAND "${CMAKE_MATCH_2}")
        add_library(${target}_${level} OBJECT ${ARGN})
        target_link_libraries(${target}_${level} PRIVATE cy_common)
        cy_hot(${target}_${level})
        target_compile_options(${target}_${level} PRIVATE ${flags})
        target_compile_definitions(${target}_${level} PRIVATE CY_LEVEL=${level})
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_${level}>)
    endforeach()
endfunction()

# cy_link_all(target): links every module.
function(cy_link_all target)
    get_property(modules GLOBAL PROPERTY CY_MODULES)
    target_link_libraries(${target} PRIVATE ${modules} cy_common)
endfunction()

# cy_device_library(march): assembles every lib/ventus/*.s for this target into lib/<march>/*.o of the build directory,
# where `cy ld` finds it next to its own bin/.
function(cy_device_library march)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lib/ventus/*.s)
    if(NOT sources OR NOT TARGET cy OR NOT EXISTS ${PROJECT_SOURCE_DIR}/tools/cmd_as.c)
        return()
    endif()
    set(directory ${PROJECT_BINARY_DIR}/lib/${march})
    set(abi ${PROJECT_BINARY_DIR}/abi/${march}) # not in the library's directory, which is installed
    file(MAKE_DIRECTORY ${directory} ${abi})
    add_custom_command(OUTPUT ${abi}/abi.inc
        COMMAND ${CMAKE_COMMAND} -D INPUT=${PROJECT_SOURCE_DIR}/src/abi/abi.def -D OUTPUT=${abi}/abi.inc
            -P ${PROJECT_SOURCE_DIR}/cmake/abi.cmake
        DEPENDS ${PROJECT_SOURCE_DIR}/src/abi/abi.def ${PROJECT_SOURCE_DIR}/cmake/abi.cmake VERBATIM)
    set(objects "")
    foreach(source IN LISTS sources)
        cmake_path(GET source STEM stem)
        cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
        add_custom_command(OUTPUT ${directory}/${stem}.o
            COMMAND cy as -march=${march} -I ${abi} -o ${directory}/${stem}.o ${name}
            DEPENDS cy ${source} ${abi}/abi.inc WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
        list(APPEND objects ${directory}/${stem}.o)
    endforeach()
    add_custom_target(device_library_${march} ALL DEPENDS ${objects})
    install(FILES ${objects} DESTINATION ${CMAKE_INSTALL_DATADIR}/chengying/${march})
endfunction()
