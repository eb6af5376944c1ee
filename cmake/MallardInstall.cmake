# Install rules: headers, libraries, a CMake package, a pkg-config file, the command.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/mallard DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  PATTERN malloc EXCLUDE)
if(TARGET mallard_malloc)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/mallard/malloc
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mallard)
endif()

set(mallard_install_targets mallard_lib)
if(MALLARD_BUILD_SHARED)
  list(APPEND mallard_install_targets mallard_shared)
endif()
if(MALLARD_BUILD_EMBEDDED)
  list(APPEND mallard_install_targets mallard_embedded)
endif()
if(TARGET mallard_malloc)
  list(APPEND mallard_install_targets mallard_malloc mallard_malloc_static
    mallard_malloc_hardened mallard_malloc_hardened_static
    mallard_malloc_sticky mallard_malloc_sticky_static)
endif()
install(TARGETS ${mallard_install_targets} EXPORT mallard-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(MALLARD_BUILD_TOOL)
  install(TARGETS mallard_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(TARGET mallard_record)
    install(TARGETS mallard_record LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
  if(TARGET mallard_route)
    install(TARGETS mallard_route LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
  if(TARGET mallard_live)
    install(TARGETS mallard_live LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
  list(APPEND mallard_install_targets mallard_tool)
endif()

set(mallard_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mallard)
install(EXPORT mallard-targets NAMESPACE mallard:: DESTINATION ${mallard_package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/mallard-config.cmake.in
  ${PROJECT_BINARY_DIR}/mallard-config.cmake INSTALL_DESTINATION ${mallard_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mallard-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mallard-config.cmake
  ${PROJECT_BINARY_DIR}/mallard-config-version.cmake DESTINATION ${mallard_package_dir})

# The prefix follows the file, so that an installed tree can be moved.
file(RELATIVE_PATH mallard_pc_up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
# As in CMake, `mallard` is the static library; the shared one has a name of its own.
function(mallard_pkg_config name description libraries)
  set(mallard_pc_name ${name})
  set(mallard_pc_description ${description})
  set(mallard_pc_libraries ${libraries})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/mallard.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
mallard_pkg_config(mallard "${PROJECT_DESCRIPTION}" "\${libdir}/libmallard.a")
if(MALLARD_BUILD_SHARED)
  mallard_pkg_config(mallard-shared "${PROJECT_DESCRIPTION} (shared library)"
    "-L\${libdir} -lmallard")
endif()

# gdb shows resources: by itself of programs that use the shared library; others `source` the file.
install(FILES ${PROJECT_SOURCE_DIR}/tools/gdb/mallard.py
  DESTINATION ${CMAKE_INSTALL_DATADIR}/mallard/gdb)
if(MALLARD_BUILD_SHARED)
  # Below the library's own directory, which `cmake --install --prefix` may choose.
  install(CODE "
    cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_PREFIX OUTPUT_VARIABLE prefix)
    cmake_path(APPEND prefix \"${CMAKE_INSTALL_LIBDIR}\" OUTPUT_VARIABLE libraries)
    file(INSTALL DESTINATION \"\${prefix}/${CMAKE_INSTALL_DATADIR}/gdb/auto-load\${libraries}\" TYPE FILE
      RENAME libmallard.so.${PROJECT_VERSION}-gdb.py FILES \"${PROJECT_SOURCE_DIR}/tools/gdb/mallard.py\")")
endif()
