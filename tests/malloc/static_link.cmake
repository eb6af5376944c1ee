# A program linked with the static library, in all the ways that bring the C++ runtime in:
# cmake -DCOMPILERS= -DSOURCE= -DARCHIVE= -DINCLUDE= -DPROGRAM= -P
foreach(compiler IN LISTS COMPILERS)
  foreach(way IN ITEMS -static -static-pie -static-libstdc++ -pie)
    execute_process(
      COMMAND ${compiler} -std=c++20 -O1 -I${INCLUDE} ${way} ${SOURCE} ${ARCHIVE} -pthread -o ${PROGRAM}
      RESULT_VARIABLE failed OUTPUT_VARIABLE text ERROR_VARIABLE text)
    if(failed)
      message(FATAL_ERROR "${compiler} ${way} did not link: ${text}")
    endif()
    execute_process(COMMAND ${PROGRAM} RESULT_VARIABLE failed OUTPUT_VARIABLE text ERROR_VARIABLE text)
    if(NOT failed STREQUAL "0" OR NOT text STREQUAL "sound\n")
      message(FATAL_ERROR "${compiler} ${way}: ${failed}: ${text}")
    endif()
  endforeach()
endforeach()
