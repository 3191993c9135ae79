# The C interface, lib/libchengying.so: device, assembler, compiler and EpicGPU; it needs no LLVM.  lib/chengying has the process that it
# and the other programs start when something must be compiled.

# cy_exports(target map): of the target's names only those that the linker script lists can be seen.
function(cy_exports target map)
    target_link_options(${target} PRIVATE -Wl,-Bsymbolic -Wl,--version-script=${PROJECT_SOURCE_DIR}/${map})
    set_target_properties(${target} PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/${map})
endfunction()

# The version of the binary interface: the first number changes when programs must be compiled again.
set(CY_ABI_VERSION 1.0.0)
set(CY_ABI 1)

# (the assembler as objects: the compiler links to it as a library)
add_library(chengying SHARED ${PROJECT_SOURCE_DIR}/src/cc/driver/public.c $<TARGET_OBJECTS:cy_as>)
target_link_libraries(chengying PRIVATE cy_common $<LINK_LIBRARY:WHOLE_ARCHIVE,cy_gpu,cy_timing,cy_epic> cy_cc cy_base)
cy_exports(chengying src/exports.map)
set_target_properties(chengying PROPERTIES VERSION ${CY_ABI_VERSION} SOVERSION ${CY_ABI})
target_include_directories(chengying INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(TARGETS chengying EXPORT chengying LIBRARY)

set(CY_HELPERS ${CMAKE_INSTALL_LIBDIR}/chengying)

# LLVM and the back end, preloaded into a clang that forks clangs and workers.
add_library(chengying_llvm MODULE $<TARGET_OBJECTS:cy_cc> $<TARGET_OBJECTS:cy_jit_translate>
    $<TARGET_OBJECTS:cy_jit_lower> $<TARGET_OBJECTS:cy_jit_transform> $<TARGET_OBJECTS:cy_jit_analyse> $<TARGET_OBJECTS:cy_jit_import>
    $<TARGET_OBJECTS:cy_jit_sir>
    ${PROJECT_SOURCE_DIR}/tools/server/zygote.c)
target_link_libraries(chengying_llvm PRIVATE cy_common cy_ld cy_as cy_sources cy_obj cy_isa cy_gpu_fp cy_base ${CY_LLVM_LIBRARY})
cy_exports(chengying_llvm tools/server/llvm_exports.map)
if(CY_COVERAGE)
    target_sources(chengying_llvm PRIVATE ${PROJECT_SOURCE_DIR}/tools/server/count_branches.c)
endif()

# A sanitizer cannot be preloaded: such a build preloads this alone, and workers are forks of the server.
add_library(clang_zygote MODULE ${PROJECT_SOURCE_DIR}/tools/server/zygote.c)
target_include_directories(clang_zygote PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_compile_options(clang_zygote PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes
    $<$<BOOL:${CY_WERROR}>:-Werror>)
set_target_properties(clang_zygote PROPERTIES PREFIX "" OUTPUT_NAME clang-zygote)

add_executable(compile_server
    ${PROJECT_SOURCE_DIR}/tools/server/server.c
    ${PROJECT_SOURCE_DIR}/tools/server/job.c
    ${PROJECT_SOURCE_DIR}/tools/server/fork.c)
target_include_directories(compile_server PRIVATE ${PROJECT_SOURCE_DIR}/tools/server)
target_link_libraries(compile_server PRIVATE cy_common cy_cc cy_base ${CMAKE_DL_LIBS})
set_target_properties(compile_server PROPERTIES OUTPUT_NAME compile-server)
if(CY_SANITIZE OR CY_TSAN)
    target_compile_definitions(compile_server PRIVATE ZYGOTE_LIBRARY=CC_ZYGOTE)
else()
    target_compile_definitions(compile_server PRIVATE ZYGOTE_LIBRARY=CC_LLVM)
endif()
add_dependencies(compile_server chengying_llvm clang_zygote)

set_target_properties(compile_server chengying_llvm clang_zygote PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/chengying
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/chengying)
install(TARGETS compile_server RUNTIME DESTINATION ${CY_HELPERS})
install(TARGETS chengying_llvm clang_zygote LIBRARY DESTINATION ${CY_HELPERS})
