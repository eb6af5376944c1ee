# Resources as lldb shows them: ${LLDB}, ${PRINTERS}, ${PROGRAM}.
execute_process(COMMAND ${LLDB} --no-lldbinit -b -o "command script import ${PRINTERS}"
  -o "breakpoint set --name stop_here" -o "run" -o "up" -o "frame variable pool" -o "frame variable arena" ${PROGRAM}
  OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 120)
if(err MATCHES "personality|Operation not permitted|ptrace|failed to launch")
  message("SKIPPED: lldb may not trace programs here: ${err}")
  return()
endif()
foreach(expected IN ITEMS
    "pool = {in_use_bytes = [1-9][0-9]*, reserved_bytes = [1-9].*upstream = mallard::counting_resource at 0x"
    "arena = {in_use_bytes = [0-9]+.*upstream = mallard::multipool_resource at 0x")
  string(REPLACE "{" "\\{" pattern "${expected}")
  if(NOT out MATCHES "${pattern}")
    message(FATAL_ERROR "lldb does not show \"${pattern}\":\n${out}\n${err}")
  endif()
endforeach()
