# cmake -DOBJECTS=a;b -DOBJDUMP=objdump -P virtual_calls.cmake
# Looks into the machine code of the kernels: the abstract-base strategies must call their resource
# through its virtual table, and the type-parameter ones must not. do_allocate and do_deallocate are
# the third and fourth entry of the table.
set(checked 0)
foreach(object IN LISTS OBJECTS)
  if(NOT object MATCHES "/kernels/[a-z]+_(abstract|monotonic|multipool)\\.cpp\\.o$")
    continue()
  endif()
  set(kind ${CMAKE_MATCH_1})
  execute_process(COMMAND ${OBJDUMP} -d ${object} OUTPUT_VARIABLE code COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "(call|jmp)q? +\\*0x1[08]\\(%r" calls "${code}")
  list(LENGTH calls count)
  message(STATUS "${count} virtual calls in ${object}")
  if(kind STREQUAL "abstract" AND count LESS 100)
    message(SEND_ERROR "the calls of the abstract base have been devirtualised")
  elseif(NOT kind STREQUAL "abstract" AND count GREATER 0)
    message(SEND_ERROR "a type-parameter strategy makes virtual calls")
  endif()
  math(EXPR checked "${checked} + 1")
endforeach()
if(checked LESS 6)
  message(FATAL_ERROR "only ${checked} kernels were found")
endif()
