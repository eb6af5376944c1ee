# Install rules. Components: `library` (headers, libraries, the CMake package, pkg-config files), `malloc`
# (the drop-in mallocs and their header), `tool` (the command, what it preloads, its man page).
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# mallard_install_built(<component> <target>...): says so, before anything is copied, where part of it is not built.
function(mallard_install_built component)
  list(TRANSFORM ARGN REPLACE "(.+)" "\"$<TARGET_FILE:\\1>\"" OUTPUT_VARIABLE files)
  list(JOIN files " " files)
  install(CODE "
    foreach(file IN ITEMS ${files})
      if(NOT EXISTS \"\${file}\")
        message(FATAL_ERROR \"\${file} is not built. Build everything first (cmake --build ${PROJECT_BINARY_DIR}), \"
          \"or install what is: --component library, malloc or tool.\")
      endif()
    endforeach()" COMPONENT ${component})
endfunction()

# Libraries that are built are looked at first, whatever is installed.
set(mallard_library_targets mallard_lib)
if(MALLARD_BUILD_SHARED)
  list(APPEND mallard_library_targets mallard_shared)
endif()
if(MALLARD_BUILD_EMBEDDED)
  list(APPEND mallard_library_targets mallard_embedded)
endif()
mallard_install_built(library ${mallard_library_targets})
if(TARGET mallard_malloc)
  set(mallard_malloc_targets mallard_malloc mallard_malloc_static
    mallard_malloc_hardened mallard_malloc_hardened_static
    mallard_malloc_sticky mallard_malloc_sticky_static mallard_malloc_prefixed)
  mallard_install_built(malloc ${mallard_malloc_targets})
endif()
if(MALLARD_BUILD_TOOL)
  set(mallard_tool_targets mallard_tool)
  # Nobody else needs the libraries that the command preloads.
  foreach(target IN ITEMS mallard_record mallard_route mallard_live mallard_density mallard_ideal)
    if(TARGET ${target})
      list(APPEND mallard_tool_targets ${target})
    endif()
  endforeach()
  mallard_install_built(tool ${mallard_tool_targets})
endif()
set(mallard_install_targets ${mallard_library_targets} ${mallard_malloc_targets} ${mallard_tool_targets})

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/mallard DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT library PATTERN malloc EXCLUDE)
if(PROJECT_IS_TOP_LEVEL)
  foreach(component IN ITEMS library malloc tool)
    install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md
      DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT ${component})
  endforeach()
  # Documents with what they lead to.
  install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md ${PROJECT_SOURCE_DIR}/THIRD-PARTY.md
    DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tool)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples
    DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tool PATTERN CMakeLists.txt EXCLUDE)
  install(PROGRAMS ${PROJECT_SOURCE_DIR}/packaging/action/check.sh
    DESTINATION ${CMAKE_INSTALL_DOCDIR}/packaging/action COMPONENT tool)
  add_custom_target(mallard_uninstall COMMAND ${CMAKE_COMMAND}
    -DBUILD=${PROJECT_BINARY_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/MallardUninstall.cmake)
endif()

install(TARGETS ${mallard_library_targets} EXPORT mallard-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
if(TARGET mallard_malloc)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/mallard/malloc
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mallard COMPONENT malloc)
  install(TARGETS ${mallard_malloc_targets} EXPORT mallard-malloc-targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT malloc
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT malloc)
endif()
if(MALLARD_BUILD_TOOL)
  install(TARGETS ${mallard_tool_targets}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tool
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/mallard COMPONENT tool)
  # A program for another machine cannot tell here what it takes.
  if(NOT CMAKE_CROSSCOMPILING)
    set(mallard_manual ${PROJECT_BINARY_DIR}/manual)
    install(FILES ${mallard_manual}/mallard.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tool)
    install(FILES ${mallard_manual}/mallard.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
      RENAME mallard COMPONENT tool)
    install(FILES ${mallard_manual}/mallard.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
      RENAME _mallard COMPONENT tool)
    install(FILES ${mallard_manual}/mallard.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
      COMPONENT tool)
  endif()
endif()
set(mallard_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mallard)
install(EXPORT mallard-targets NAMESPACE mallard:: DESTINATION ${mallard_package_dir} COMPONENT library)
if(TARGET mallard_malloc)
  install(EXPORT mallard-malloc-targets NAMESPACE mallard:: DESTINATION ${mallard_package_dir} COMPONENT malloc)
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/mallard-config.cmake.in
  ${PROJECT_BINARY_DIR}/mallard-config.cmake INSTALL_DESTINATION ${mallard_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mallard-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mallard-config.cmake
  ${PROJECT_BINARY_DIR}/mallard-config-version.cmake DESTINATION ${mallard_package_dir} COMPONENT library)
install(FILES ${PROJECT_BINARY_DIR}/mallard-config.cmake
  ${PROJECT_BINARY_DIR}/mallard-config-version.cmake DESTINATION ${mallard_package_dir} COMPONENT malloc)

# The prefix follows the file, so that an installed tree can be moved.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  file(RELATIVE_PATH mallard_pc_up "${CMAKE_INSTALL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH mallard_pc_up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
endif()
foreach(folder IN ITEMS LIBDIR INCLUDEDIR)
  set(mallard_pc_${folder} "${CMAKE_INSTALL_${folder}}")
  if(NOT IS_ABSOLUTE "${mallard_pc_${folder}}")
    string(PREPEND mallard_pc_${folder} "\${prefix}/")
  endif()
endforeach()
# As in CMake, `mallard` is the static library unless BUILD_SHARED_LIBS says otherwise; the shared one has a
# name of its own, too.
function(mallard_pkg_config name component description libraries)
  if(NOT MALLARD_ATOMIC_BYTES)
    set(mallard_pc_atomic " -latomic")
  endif()
  # The malloc's header is for C, too.
  if(component STREQUAL library)
    set(mallard_pc_standard "-std=c++\${cxx_standard} ")
  endif()
  set(mallard_pc_name ${name})
  set(mallard_pc_description ${description})
  set(mallard_pc_libraries ${libraries})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/mallard.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT ${component})
endfunction()
if(BUILD_SHARED_LIBS)
  set(mallard_linked -lmallard)
else()
  set(mallard_linked -l:libmallard.a)
endif()
mallard_pkg_config(mallard library "${PROJECT_DESCRIPTION}" "-L\${libdir} ${mallard_linked}")
if(MALLARD_BUILD_SHARED)
  mallard_pkg_config(mallard-shared library "${PROJECT_DESCRIPTION} (shared library)"
    "-L\${libdir} -lmallard")
endif()
if(TARGET mallard_malloc)
  mallard_pkg_config(mallard-malloc malloc "malloc and operator new by Mallard" "-L\${libdir} -lmallard-malloc -Wl,--eh-frame-hdr")
endif()

# Debuggers show resources: gdb by itself of programs that use the shared library, beside which it looks for a script
# of its name. Folders that it trusts may be /usr's alone; there the script's place is another one.
install(FILES ${PROJECT_SOURCE_DIR}/tools/gdb/mallard.py
  DESTINATION ${CMAKE_INSTALL_DATADIR}/mallard/gdb COMPONENT library)
install(FILES ${PROJECT_SOURCE_DIR}/tools/lldb/mallard.py
  DESTINATION ${CMAKE_INSTALL_DATADIR}/mallard/lldb COMPONENT library)
if(MALLARD_BUILD_SHARED)
  install(CODE "
    cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_PREFIX OUTPUT_VARIABLE prefix)
    cmake_path(APPEND prefix \"${CMAKE_INSTALL_LIBDIR}\" OUTPUT_VARIABLE folder)
    if(prefix STREQUAL \"/usr\")
      set(folder \"/usr/share/gdb/auto-load\${folder}\")
    endif()
    file(INSTALL DESTINATION \"\${folder}\" TYPE FILE
      RENAME libmallard.so.${PROJECT_VERSION}-gdb.py FILES \"${PROJECT_SOURCE_DIR}/tools/gdb/mallard.py\")"
    COMPONENT library)
endif()
