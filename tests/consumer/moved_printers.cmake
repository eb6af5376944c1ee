# gdb finds its printers beside the installed shared library, also where that was moved: ${PREFIX} is copied to
# ${MOVED}, and gdb, ${GDB}, is told no more than to trust the folder. ${COMPILER}, ${SOURCE}, ${LIBDIR}.
file(REMOVE_RECURSE ${MOVED})
file(COPY ${PREFIX}/ DESTINATION ${MOVED})
# The library may be without debug information: the program has to bring all classes.
execute_process(COMMAND ${COMPILER} -std=c++20 -g ${WHOLE_CLASSES} ${SOURCE} -I${MOVED}/include -L${MOVED}/${LIBDIR} -lmallard
  -Wl,-rpath,${MOVED}/${LIBDIR} -o ${MOVED}/program COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${GDB} -nx -batch -iex "add-auto-load-safe-path ${MOVED}" -ex "python print(1)" -ex "break stop_here" -ex "run"
  -ex "up" -ex "print pool" -ex "print pool.stats()" ${MOVED}/program
  OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 120)
if(err MATCHES "Python scripting is not supported")
  message("SKIPPED: gdb may not trace, or not run Python: ${err}")
# On some virtual machines gdb can write no registers, and so call no function of the program.
elseif(err MATCHES "Could not trace the inferior|ptrace|personality|Couldn't write")
  message("SKIPPED: gdb may not trace programs here: ${err}")
elseif(NOT out MATCHES "multipool_resource = \\{in_use_bytes = [1-9]")
  message(FATAL_ERROR "gdb did not find the printers:\n${out}\n${err}")
endif()
