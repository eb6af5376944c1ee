# A program with a sanitizer is not linked with a library without it, and is told why; unless it says
# that it does not want the annotations.
function(compile name)
  execute_process(COMMAND ${COMPILER} -std=c++20 -I${INCLUDE} ${ARGN} -c ${PROGRAM} -o ${OUTPUT}-${name}.o
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()
compile(address -fsanitize=address)
compile(thread -fsanitize=thread)
compile(unmarked -fsanitize=address -DMALLARD_NO_ANNOTATIONS)

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
