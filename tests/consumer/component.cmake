cmake_minimum_required(VERSION 3.25)
# The library's component brings the library alone; to uninstall removes each file of it.
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --component library --prefix ${PREFIX}
  RESULT_VARIABLE result OUTPUT_QUIET)
file(GLOB_RECURSE there RELATIVE ${PREFIX} ${PREFIX}/*)
if(NOT result EQUAL 0 OR NOT "include/mallard/multipool.hpp" IN_LIST there)
  message(FATAL_ERROR "it ended with ${result}: ${there}")
endif()
foreach(file IN LISTS there)
  if(file MATCHES "^bin/|libmallard-(malloc|record|route)|malloc-targets")
    message(SEND_ERROR "${file} is of another component")
  endif()
endforeach()
# The list of everything is not the build folder's own, whose files other tests use.
file(COPY ${BUILD}/install_manifest_library.txt DESTINATION ${PREFIX}_lists)
file(WRITE ${PREFIX}_lists/install_manifest.txt ${PREFIX}/of_everything)
file(TOUCH ${PREFIX}/of_everything)
execute_process(COMMAND ${CMAKE_COMMAND} -DBUILD=${PREFIX}_lists
  -P ${SOURCE}/cmake/MallardUninstall.cmake RESULT_VARIABLE result OUTPUT_QUIET)
file(GLOB_RECURSE there ${PREFIX}/*)
if(NOT result EQUAL 0 OR there)
  message(FATAL_ERROR "uninstalling ended with ${result} and left ${there}")
endif()
