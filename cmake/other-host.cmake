# Programs for the kind of host this machine is not.  scripts/other-host.sh, inside which cmake runs, says which and where its
# packages are.
if(NOT DEFINED ENV{CY_OTHER_ROOT} OR NOT DEFINED ENV{CY_OTHER_PROCESSOR})
    message(FATAL_ERROR "run this as: scripts/other-host.sh cmake ...")
endif()
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $ENV{CY_OTHER_PROCESSOR})
set(CMAKE_C_COMPILER ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu-gcc)
set(CMAKE_SYSROOT $ENV{CY_OTHER_ROOT})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${CMAKE_SYSTEM_PROCESSOR} -L ${CMAKE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
