#!/bin/bash
# cxx.sh SOURCE.cpp [OPTION...]: compiles a client in C++, which knows only the headers of a package, and runs it on our platform.
set -euo pipefail
name=$(basename "$1" .cpp)
g++ -std=c++14 -O1 -w -DCL_TARGET_OPENCL_VERSION=120 -DBOOST_COMPUTE_MAX_CL_VERSION=120 \
    "${@:2}" -o "$CY_TMP/$name" "tests/clients/$1" -lOpenCL
HOME=$CY_TMP exec "$CY" ${CY_CLIENT:-exec --debug} -- "$CY_TMP/$name"
