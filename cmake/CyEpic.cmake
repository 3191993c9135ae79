# What `cy epic` needs for pictures: libpng; giflib for animations; the headers of SDL2 for its window (the library is opened when it is used).
find_package(PNG REQUIRED)
target_link_libraries(cy PRIVATE PNG::PNG ${CMAKE_DL_LIBS})
find_package(SDL2 QUIET)
if(SDL2_FOUND)
    target_compile_definitions(cy PRIVATE CY_HAVE_SDL2)
endif()
find_package(GIF QUIET) # for --gif
if(GIF_FOUND)
    target_compile_definitions(cy PRIVATE CY_HAVE_GIF)
    target_link_libraries(cy PRIVATE GIF::GIF)
endif()
