# Counts the preprocessed lines of each resource's header alone.
set(limit 5200)  # beyond <memory_resource>, which is 29,700 with gcc 12
set(resources monotonic buffered reserved multipool synchronized_multipool adaptive_pool heap
  synchronized_heap page_source failure_callback fallback scratch segregating synchronized
  checks/counting_resource checks/guard_resource checks/limit_resource checks/synchronized_counting_resource
  checks/test_resource)
separate_arguments(flags UNIX_COMMAND "${FLAGS}")

function(count_lines header out)
  file(WRITE ${WORK}/include_cost.cpp "#include <${header}>\n")
  execute_process(COMMAND ${COMPILER} ${flags} -std=c++20 -E -P -I${INCLUDE} ${WORK}/include_cost.cpp
    OUTPUT_VARIABLE text RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${header} cannot be preprocessed")
  endif()
  string(REGEX REPLACE "[^\n]+" "" lines "${text}")
  string(LENGTH "${lines}" count)
  set(${out} ${count} PARENT_SCOPE)
endfunction()

count_lines(memory_resource base)
message("memory_resource ${base}")
set(failed FALSE)
foreach(resource IN LISTS resources)
  count_lines(mallard/${resource}.hpp lines)
  message("mallard/${resource}.hpp ${lines}")
  math(EXPR beyond "${lines} - ${base}")
  if(beyond GREATER limit)
    message("  which is ${beyond} beyond <memory_resource>; ${limit} are allowed")
    set(failed TRUE)
  endif()
endforeach()
if(failed)
  message(FATAL_ERROR "headers cost too much")
endif()
