# Resources as gdb prints them: ${GDB}, ${PRINTERS}, ${PROGRAM}.
execute_process(COMMAND ${GDB} -nx -batch -ex "set print pretty off" -ex "source ${PRINTERS}"
  -ex "break stop_here" -ex "run" -ex "up" -ex "print counter" -ex "print pool" -ex "print arena"
  -ex "print quota" -ex "print ref" ${PROGRAM}
  OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 120)
if(err MATCHES "Could not trace the inferior|ptrace|personality")
  message("SKIPPED: gdb may not trace programs here: ${err}")
  return()
endif()
foreach(expected IN ITEMS
    "counting_resource = {name = 0x[0-9a-f]+ \"below\", in_use_blocks = [1-9]"
    "multipool_resource = {in_use_bytes = [1-9][0-9]*, reserved_bytes = [1-9].*upstream = mallard::counting_resource at 0x"
    "monotonic_resource = {in_use_bytes = [0-9]+.*upstream = mallard::multipool_resource at 0x"
    "limit_resource = {in_use_bytes = 300, in_use_blocks = 1, limits = {bytes = 1000"
    "resource_ref to mallard::multipool_resource at 0x")
  string(REPLACE "{" "\\{" pattern "${expected}")
  if(NOT out MATCHES "${pattern}")
    message(FATAL_ERROR "gdb does not print \"${pattern}\":\n${out}\n${err}")
  endif()
endforeach()
