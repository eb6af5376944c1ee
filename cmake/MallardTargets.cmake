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

# mallard_defaults(<target>): C++20, our warnings, the chosen sanitizers.
function(mallard_defaults target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:mallard_warnings>)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:mallard_sanitize>)
endfunction()
