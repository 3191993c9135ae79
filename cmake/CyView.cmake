# The viewer's page (src/view/page): style, body and scripts become arrays of view/page_parts.h, which src/view/page.c includes.
# The scripts are joined in the order of their names' list here; each is an ordinary file that a browser could load, too.
set(CY_VIEW_PAGE ${PROJECT_SOURCE_DIR}/src/view/page)
set(CY_VIEW_SCRIPTS trace.js model.js palette.js canvas.js timeline.js lanes.js memory.js stack.js code.js search.js main.js)
list(TRANSFORM CY_VIEW_SCRIPTS PREPEND ${CY_VIEW_PAGE}/)
add_custom_command(OUTPUT ${CY_GENERATED}/view/page_parts.h
    COMMAND ${CMAKE_COMMAND} -D "OUTPUT=${CY_GENERATED}/view/page_parts.h" -D "STYLE=${CY_VIEW_PAGE}/style.css"
        -D "BODY=${CY_VIEW_PAGE}/body.html" -D "SCRIPT=${CY_VIEW_SCRIPTS}" -P ${PROJECT_SOURCE_DIR}/cmake/page.cmake
    DEPENDS ${CY_VIEW_PAGE}/style.css ${CY_VIEW_PAGE}/body.html ${CY_VIEW_SCRIPTS} ${PROJECT_SOURCE_DIR}/cmake/page.cmake
    VERBATIM)
target_sources(cy_view PRIVATE ${CY_GENERATED}/view/page_parts.h)
target_link_libraries(cy_view PUBLIC ZLIB::ZLIB)
