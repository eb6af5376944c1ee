# An installation of what is not built says what to do, and installs nothing. Needs SOURCE, OUTPUT, COMPILER.
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${OUTPUT}/build -DCMAKE_CXX_COMPILER=${COMPILER}
  -DMALLARD_BUILD_TOOL=OFF -DMALLARD_BUILD_PROFILE=OFF -DMALLARD_BUILD_TESTS=OFF
  -DMALLARD_BUILD_BENCHMARKS=OFF -DMALLARD_BUILD_EXAMPLES=OFF
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${OUTPUT}/build --prefix ${OUTPUT}/prefix
  RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE said)
if(result EQUAL 0 OR EXISTS ${OUTPUT}/prefix OR NOT said MATCHES "is[ \n]+not[ \n]+built.*--component[ \n]+library")
  message(FATAL_ERROR "it ended with ${result} and said: ${said}")
endif()
