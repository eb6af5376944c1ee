# Warnings and sanitizers for every target of ours, in one place.
add_library(mallard_warnings INTERFACE)
# In unity builds a local name may be that of something in another file.
target_compile_options(mallard_warnings INTERFACE
  -Wall -Wextra -Wconversion
  $<IF:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>,$<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>,-Wshadow>
  $<$<BOOL:${MALLARD_WERROR}>:-Werror>)

add_library(mallard_sanitize INTERFACE)
if(MALLARD_SANITIZE)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -fsanitize=${MALLARD_SANITIZE})
  check_cxx_source_compiles("int main() {}" MALLARD_CAN_SANITIZE_${MALLARD_SANITIZE})
  unset(CMAKE_REQUIRED_FLAGS)
  if(NOT MALLARD_CAN_SANITIZE_${MALLARD_SANITIZE})
    message(FATAL_ERROR "MALLARD_SANITIZE is '${MALLARD_SANITIZE}', and ${CMAKE_CXX_COMPILER} cannot build a program "
      "with -fsanitize=${MALLARD_SANITIZE}")
  endif()
  target_compile_options(mallard_sanitize INTERFACE
    -fsanitize=${MALLARD_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  # gcc says that of much instrumented code that is well, std::regex for one.
  target_compile_options(mallard_sanitize INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(mallard_sanitize INTERFACE -fsanitize=${MALLARD_SANITIZE})
endif()

# Most of the tool and the tests is never measured, and optimising it would take most of a build.
set(MALLARD_UNMEASURED_OPTIONS "$<$<CONFIG:Release>:-O1>" CACHE STRING
  "Compile options of what is never measured: commands, reports, tests")
set(MALLARD_ANALYSIS_OPTIONS "" CACHE STRING "Further compile options, in releases, of what reads traces")

# mallard_together(<target>): its files are compiled several at once, so that headers are read once
# for all of them. mallard_installed(<target>): the same, but file by file where it is measured or installed:
# there the standard library's headers alone are read once. mallard_alone(<source>...): not these, whose names
# would meet those of others.
set(MALLARD_LIBRARY_HEADERS <algorithm> <array> <atomic> <bit> <cerrno> <concepts> <cstdint> <cstring> <limits>
  <memory> <memory_resource> <mutex> <new> <span> <string> <string_view> <tuple> <type_traits> <utility> <vector>)
function(mallard_together target)
  if(MALLARD_UNITY_BUILD MATCHES "^(TOOL|ALL)$")
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  endif()
endfunction()
function(mallard_installed target)
  if(MALLARD_UNITY_BUILD STREQUAL "ALL")
    mallard_together(${target})
  elseif(MALLARD_UNITY_BUILD STREQUAL "TOOL")
    target_precompile_headers(${target} PRIVATE ${MALLARD_LIBRARY_HEADERS})
  endif()
endfunction()
function(mallard_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# mallard_unmeasured(<target>): it is compiled for little time, not for speed.
function(mallard_unmeasured target)
  target_compile_options(${target} PRIVATE ${MALLARD_UNMEASURED_OPTIONS})
  mallard_together(${target})
endfunction()

# mallard_measured_in_releases(<target>): the same, but in releases for speed.
function(mallard_measured_in_releases target)
  target_compile_options(${target} PRIVATE
    $<IF:$<CONFIG:Release>,${MALLARD_ANALYSIS_OPTIONS},${MALLARD_UNMEASURED_OPTIONS}>)
  mallard_together(${target})
endfunction()

# mallard_tested(<target>): a program that is measured in releases, and elsewhere only has to work.
function(mallard_tested target)
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Release>>:${MALLARD_UNMEASURED_OPTIONS}>)
endfunction()

# mallard_header_set(<name> <header>...): headers that mallard_precompiled(<target> <name>) gives to
# targets with the same options, compiled once for all. Files include what they use all the same.
set(MALLARD_STANDARD_HEADERS <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <cstdio>
  <filesystem> <fstream> <functional> <map> <memory> <optional> <set> <span> <sstream> <stdexcept>
  <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector>)
function(mallard_header_set name)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp CONTENT "// Nothing but the headers.\n")
  add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  mallard_defaults(${name})
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()
function(mallard_precompiled target name)
  target_precompile_headers(${target} REUSE_FROM ${name})
endfunction()

# mallard_defaults(<target>): C++20, our warnings, the chosen sanitizers and level of assertions. An
# installed library leaves the level to its users.
function(mallard_defaults target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  # In others' projects they decide: CMake 3.25 has no -std for clang's newest standard without extensions.
  if(PROJECT_IS_TOP_LEVEL)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  endif()
  if(MALLARD_ASSERTIONS)
    target_compile_definitions(${target} PUBLIC
      $<BUILD_INTERFACE:MALLARD_ASSERTIONS=${MALLARD_ASSERTIONS}>)
  endif()
  # gcc collects its garbage later: a tenth of a build's time, for 100 MB more in a compiler.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=400000>)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:mallard_warnings>)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:mallard_sanitize>)
endfunction()

# mallard_part(<target> <header set> [FOLDERS <folder>...] [EXCEPT <source>...]): a library of all sources in these
# folders, or in the current one: a part of the command.
function(mallard_part target headers)
  cmake_parse_arguments(PARSE_ARGV 2 part "" "" "FOLDERS;EXCEPT")
  if(NOT part_FOLDERS)
    set(part_FOLDERS .)
  endif()
  list(TRANSFORM part_FOLDERS APPEND "/*.cpp")
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${part_FOLDERS})
  list(REMOVE_ITEM sources "" ${part_EXCEPT})
  add_library(${target} STATIC ${sources})
  mallard_defaults(${target})
  mallard_precompiled(${target} ${headers})
endfunction()
