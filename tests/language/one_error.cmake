# One #error and then the end: no error of any header is to follow.
separate_arguments(flags UNIX_COMMAND "${FLAGS}")
execute_process(COMMAND ${COMPILER} ${flags} -std=c++17 -fsyntax-only -I${INCLUDE} ${SOURCE}
  RESULT_VARIABLE result ERROR_VARIABLE text)
string(REGEX MATCHALL "[^\n]*error: [^\n]*" errors "${text}")
list(FILTER errors EXCLUDE REGEX "needs -std=c..20 or later.*(No such file|file not found)")
list(LENGTH errors count)
if(result EQUAL 0 OR NOT count EQUAL 1)
  message(FATAL_ERROR "${count} errors instead of one:\n${text}")
endif()
