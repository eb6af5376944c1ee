# A program with a sanitizer is not linked with a library without it, and is told why; unless it says
# that it does not want the annotations. LAUNCHER, if there is one, knows what was compiled before.
function(compile name source)
  execute_process(COMMAND ${LAUNCHER} ${ARGN} -std=c++20 -I${INCLUDE} -c ${source} -o ${OUTPUT}-${name}.o
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()
compile(address ${PROGRAM} ${COMPILER} -fsanitize=address)
compile(thread ${PROGRAM} ${COMPILER} -fsanitize=thread)
compile(unmarked ${PROGRAM} ${COMPILER} -fsanitize=address -DMALLARD_NO_ANNOTATIONS)

# Also one that uses nothing of ours but a kind of memory, or a check.
list(GET LIBRARIES 0 first)
foreach(resource IN ITEMS memory/mapped.hpp:mapped_resource memory/static.hpp:static_storage<64>
    checks/test_resource.hpp:test_resource checks/guard_resource.hpp:guard_resource
    checks/counting_resource.hpp:counting_resource)
  string(REGEX MATCH "^(.*):(.*)$" both "${resource}")
  set(source ${OUTPUT}-alone.cpp)
  file(WRITE ${source} "#include \"mallard/${CMAKE_MATCH_1}\"\n"
    "int main() { mallard::${CMAKE_MATCH_2} resource; return &resource == nullptr; }\n")
  compile(alone ${source} ${COMPILER} -w -fsanitize=address)
  execute_process(COMMAND ${COMPILER} -fsanitize=address ${OUTPUT}-alone.o ${first} -pthread
    -o ${OUTPUT} RESULT_VARIABLE status ERROR_VARIABLE said OUTPUT_QUIET)
  if(status EQUAL 0 OR NOT said MATCHES "mallard_must_be_built_with_address_sanitizer_too")
    message(FATAL_ERROR "${resource}: linked or not (${status}), it said:\n${said}")
  endif()
endforeach()

foreach(library IN LISTS LIBRARIES)
  foreach(sanitizer IN ITEMS address thread)
    execute_process(COMMAND ${COMPILER} -fsanitize=${sanitizer} ${OUTPUT}-${sanitizer}.o ${library} -pthread
      -o ${OUTPUT} RESULT_VARIABLE status ERROR_VARIABLE said OUTPUT_QUIET)
    if(status EQUAL 0 OR NOT said MATCHES "mallard_must_be_built_with_${sanitizer}_sanitizer_too")
      message(FATAL_ERROR "${library}: linked or not (${status}), it said:\n${said}")
    endif()
  endforeach()
  execute_process(COMMAND ${COMPILER} -fsanitize=address ${OUTPUT}-unmarked.o ${library} -pthread
    -o ${OUTPUT} COMMAND_ERROR_IS_FATAL ANY)
  cmake_path(GET library PARENT_PATH folder)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${folder} ${OUTPUT}
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# Nor is a program with a library of another standard library, whichever has which.
if(CLANG)
  # expect_missing(<symbol> <command>...)
  function(expect_missing symbol)
    execute_process(COMMAND ${ARGN} -pthread -o ${OUTPUT}
      RESULT_VARIABLE status ERROR_VARIABLE said OUTPUT_QUIET)
    if(status EQUAL 0 OR NOT said MATCHES "${symbol}")
      message(FATAL_ERROR "${ARGN}: linked or not (${status}), it said:\n${said}")
    endif()
  endfunction()
  set(libcxx ${CLANG} -stdlib=libc++)
  set(libstdcxx ${CLANG} -stdlib=libstdc++)
  compile(libcxx ${PROGRAM} ${libcxx})
  compile(libcxx-library ${INCLUDE}/../src/core/annotate.cpp ${libcxx})
  compile(libstdcxx ${PROGRAM} ${libstdcxx})
  foreach(library IN LISTS LIBRARIES)
    expect_missing(mallard_must_be_built_with_libcxx_too ${libcxx} ${OUTPUT}-libcxx.o ${library})
  endforeach()
  expect_missing(mallard_must_be_built_with_libstdcxx_too
    ${libstdcxx} ${OUTPUT}-libstdcxx.o ${OUTPUT}-libcxx-library.o)
endif()
