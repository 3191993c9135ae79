# What `make install` installs, apart from programs and libraries, which are installed where they are declared: headers and what finds
# them, manual pages, completions, the ICD's registration, documents.

# For C and C++ programs: the headers, pkg-config, find_package(chengying).
include(CMakePackageConfigHelpers)
install(DIRECTORY include/ TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
set(CY_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/chengying)
install(EXPORT chengying NAMESPACE chengying:: FILE chengying-config.cmake DESTINATION ${CY_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/chengying-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/chengying-config-version.cmake DESTINATION ${CY_PACKAGE_DIR})

# An installation can be moved, so that its place follows from the file's; pkg-config knows /usr by name.
set(CY_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    file(RELATIVE_PATH CY_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
    string(REGEX REPLACE "(.*)/$" "\${pcfiledir}/\\1" CY_PC_PREFIX ${CY_PC_PREFIX})
endif()
configure_file(cmake/chengying.pc.in chengying.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/chengying.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Manual pages and completions: one for each row of commands.def, printed by cy itself.
set(pages "")
set(commands ${PROJECT_SOURCE_DIR}/tools/commands.def)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${commands})
file(STRINGS ${commands} rows REGEX "^(SUB)?COMMAND\\(")
list(PREPEND rows "COMMAND(, ") # cy itself
foreach(row IN LISTS rows)
    string(REGEX REPLACE "^COMMAND\\(([a-z]*), .*" "\\1" words "${row}")
    string(REGEX REPLACE "^SUBCOMMAND\\(([a-z]*), ([a-z]*), .*" "\\1;\\2" words "${words}")
    string(REPLACE ";" "-" name "cy;${words}")
    string(REGEX REPLACE "-$" "" name "${name}")
    set(page ${PROJECT_BINARY_DIR}/share/man/man1/${name}.1)
    add_custom_command(OUTPUT ${page} COMMAND cy help --man ${words} > ${page} DEPENDS cy COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND pages ${page})
endforeach()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/man/man1)
install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

set(CY_ZSH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "where zsh looks for completions")
set(completions "")
foreach(completion
        bash=${CMAKE_INSTALL_DATADIR}/bash-completion/completions/cy
        zsh=${CY_ZSH_COMPLETIONS}/_cy
        fish=${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d/cy.fish)
    string(REGEX MATCH "^([a-z]+)=(.*)/(.*)$" matched ${completion})
    set(shell ${CMAKE_MATCH_1})
    set(file ${PROJECT_BINARY_DIR}/share/completion.${shell})
    install(FILES ${file} DESTINATION ${CMAKE_MATCH_2} RENAME ${CMAKE_MATCH_3})
    add_custom_command(OUTPUT ${file} COMMAND cy help --completion ${shell} > ${file} DEPENDS cy VERBATIM)
    list(APPEND completions ${file})
endforeach()
add_custom_target(help_files ALL DEPENDS ${pages} ${completions})

# The file by which the ICD loader finds the OpenCL runtime: in /etc for /usr, where the name is enough; else below the prefix,
# which is known when it is installed.
install(CODE "
    set(library libchengying_cl.so.${CY_ABI})
    set(vendors \${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_SYSCONFDIR}/OpenCL/vendors)
    if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
        set(vendors /etc/OpenCL/vendors)
    else()
        string(PREPEND library \${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/)
    endif()
    file(WRITE \$ENV{DESTDIR}\${vendors}/chengying.icd \${library}\\n)
    message(STATUS \"Installing: \$ENV{DESTDIR}\${vendors}/chengying.icd\")")

install(FILES LICENSE README.md CHANGELOG.md TYPE DOC)
install(DIRECTORY docs examples TYPE DOC)
