# Warnings and sanitizers for every target of ours, in one place.
add_library(mallard_warnings INTERFACE)
target_compile_options(mallard_warnings INTERFACE
  -Wall -Wextra -Wconversion -Wshadow $<$<BOOL:${MALLARD_WERROR}>:-Werror>)

add_library(mallard_sanitize INTERFACE)
if(MALLARD_SANITIZE)
  target_compile_options(mallard_sanitize INTERFACE
    -fsanitize=${MALLARD_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  # Of instrumented code gcc says that of much that is well, std::regex for one.
  target_compile_options(mallard_sanitize INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(mallard_sanitize INTERFACE -fsanitize=${MALLARD_SANITIZE})
endif()

# Of the tool and the tests most is never measured, and optimising it would take most of a build.
set(MALLARD_UNMEASURED_OPTIONS "$<$<CONFIG:Release>:-O1>" CACHE STRING
  "Compile options of what is never measured: commands, reports, tests")

# mallard_unmeasured(<target>): it is compiled for little time, not for speed.
function(mallard_unmeasured target)
  target_compile_options(${target} PRIVATE ${MALLARD_UNMEASURED_OPTIONS})
endfunction()

# mallard_measured_in_releases(<target>): the same, but in releases for speed.
function(mallard_measured_in_releases target)
  target_compile_options(${target} PRIVATE
    $<$<NOT:$<CONFIG:Release>>:${MALLARD_UNMEASURED_OPTIONS}>)
endfunction()

# mallard_header_set(<name> <header>...): headers that mallard_precompiled(<target> <name>) gives to
# targets with the same options, compiled once for all. Files include what they use all the same.
function(mallard_header_set name)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp CONTENT "// Nothing but the headers.\n")
  add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  mallard_defaults(${name})
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()
function(mallard_precompiled target name)
  target_precompile_headers(${target} REUSE_FROM ${name})
endfunction()

# mallard_defaults(<target>): C++20, our warnings, the chosen sanitizers.
function(mallard_defaults target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:mallard_warnings>)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:mallard_sanitize>)
endfunction()
