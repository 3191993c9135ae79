# cmake -D INPUT=abi.def -D OUTPUT=abi.inc -P abi.cmake: the rows of the ABI as assembler symbols, for lib/ventus/*.s.  Their
# names begin with .L, so that they stay out of the symbol tables of objects and programs.
file(STRINGS ${INPUT} rows REGEX "^ABI\\(")
set(text "# Made from src/abi/abi.def.\n")
foreach(row IN LISTS rows)
    if(NOT row MATCHES "^ABI\\(([A-Z0-9_]+), *(0x[0-9a-f]+|[0-9]+), *\"([^\"]*)\"\\)$")
        message(FATAL_ERROR "${INPUT}: not ABI(NAME, number, \"text\"): ${row}")
    endif()
    string(APPEND text "    .equ .L${CMAKE_MATCH_1}, ${CMAKE_MATCH_2} # ${CMAKE_MATCH_3}\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
