# The OpenCL runtime: lib/libchengying_cl.so and the file by which the ICD loader finds it.

file(GLOB cl_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cl/*.c ${PROJECT_SOURCE_DIR}/src/cl/*/*.c)
add_library(chengying_cl SHARED ${cl_sources})
target_compile_definitions(chengying_cl PRIVATE CY_VERSION="${PROJECT_VERSION}")
target_link_libraries(chengying_cl PRIVATE cy_common cy_cc cy_verify cy_check cy_debug cy_profile cy_view cy_sources cy_gpu cy_timing cy_obj cy_isa cy_base ${CMAKE_DL_LIBS})
# Our own calls stay inside although the loader has functions of the same names; our threads may still run when the
# loader closes the library, so it stays loaded.
target_link_options(chengying_cl PRIVATE -Wl,-z,nodelete)
cy_exports(chengying_cl src/cl/exports.map)
set_target_properties(chengying_cl PROPERTIES VERSION ${CY_ABI_VERSION} SOVERSION ${CY_ABI})
add_dependencies(chengying_cl compile_server)
install(TARGETS chengying_cl LIBRARY NAMELINK_SKIP) # not linked to: the loader opens it

# For OCL_ICD_VENDORS in the build tree.
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/lib/chengying.icd CONTENT "$<TARGET_SONAME_FILE:chengying_cl>\n")

if(NOT CY_TESTS)
    return()
endif()

# The examples: ordinary OpenCL host programs, in bin/examples.
find_library(CY_OPENCL_LIBRARY NAMES OpenCL REQUIRED)
find_package(PNG REQUIRED)
foreach(example vecadd mandelbrot reduce matmul life fault)
    add_executable(example_${example} ${PROJECT_SOURCE_DIR}/examples/opencl/${example}.c)
    set_target_properties(example_${example} PROPERTIES OUTPUT_NAME ${example}
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/examples)
    target_compile_options(example_${example} PRIVATE -ffp-contract=off)
    target_link_libraries(example_${example} PRIVATE cy_common ${CY_OPENCL_LIBRARY})
    add_dependencies(example_${example} chengying_cl)
endforeach()
target_link_libraries(example_mandelbrot PRIVATE PNG::PNG)

# One that uses the library: the machine itself.
add_executable(example_cosim ${PROJECT_SOURCE_DIR}/examples/cosim/cosim.c)
set_target_properties(example_cosim PROPERTIES OUTPUT_NAME cosim RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/examples)
target_link_libraries(example_cosim PRIVATE cy_common chengying)

# The benchmark program of bench/run.
file(GLOB bench_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/opencl/*.c)
add_executable(bench_opencl ${bench_sources})
target_compile_options(bench_opencl PRIVATE -ffp-contract=off)
target_link_libraries(bench_opencl PRIVATE cy_common ${CY_OPENCL_LIBRARY})
