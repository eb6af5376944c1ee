# Programs linked with the static library, in all the ways that bring the C++ runtime in:
# cmake -DCOMPILERS= -DSOURCES= -DARCHIVE= -DINCLUDE= -DPROGRAM= -P
foreach(compiler IN LISTS COMPILERS)
  foreach(source IN LISTS SOURCES)
    foreach(way IN ITEMS -static -static-pie -static-libstdc++ -pie)
      execute_process(
        COMMAND ${compiler} -std=c++20 -O1 -I${INCLUDE} ${way} ${source} ${ARCHIVE} -pthread -o ${PROGRAM}
        RESULT_VARIABLE failed OUTPUT_VARIABLE text ERROR_VARIABLE text)
      if(failed)
        message(FATAL_ERROR "${compiler} ${way} ${source} did not link: ${text}")
      endif()
      execute_process(COMMAND ${PROGRAM} RESULT_VARIABLE failed OUTPUT_VARIABLE text ERROR_VARIABLE text)
      if(NOT failed STREQUAL "0" OR NOT text STREQUAL "sound\n")
        message(FATAL_ERROR "${compiler} ${way} ${source}: ${failed}: ${text}")
      endif()
    endforeach()
  endforeach()
endforeach()
