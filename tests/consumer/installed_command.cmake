# The installed command records a program, and has a man page and completions beside it.
foreach(file IN ITEMS ${LIBDIR}/mallard/libmallard-record.so ${LIBDIR}/mallard/libmallard-route.so
    ${LIBDIR}/mallard/libmallard-density.so ${LIBDIR}/mallard/libmallard-ideal.so
    ${MANDIR}/man1/mallard.1 share/bash-completion/completions/mallard share/zsh/site-functions/_mallard
    share/fish/vendor_completions.d/mallard.fish share/doc/mallard/LICENSE share/doc/mallard/docs/advise.md)
  if(NOT EXISTS "${PREFIX}/${file}")
    message(SEND_ERROR "${PREFIX}/${file} is not there")
  endif()
endforeach()
execute_process(COMMAND "${PREFIX}/bin/mallard" record --force -o "${PREFIX}/a recording.trace" -- ${CMAKE_COMMAND} -E echo hello
  RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE errors)
if(NOT result EQUAL 0 OR NOT out STREQUAL "hello\n")
  message(FATAL_ERROR "it ended with ${result}: ${out}${errors}")
endif()
# Its help names documents that are there.
execute_process(COMMAND "${PREFIX}/bin/mallard" check --help OUTPUT_VARIABLE help)
string(REGEX REPLACE "[ \n]+" " " help "${help}")
string(FIND "${help}" "(${PREFIX}/share/doc/mallard/docs/ci.md)" at)
if(at EQUAL -1)
  message(SEND_ERROR "mallard check --help names no installed document: ${help}")
endif()
execute_process(COMMAND "${PREFIX}/bin/mallard" top "${PREFIX}/a recording.trace" RESULT_VARIABLE result OUTPUT_QUIET)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "top ended with ${result}")
endif()
