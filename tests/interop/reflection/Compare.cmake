# Runs FIRST with the library in FIRST_DIR and SECOND with that in SECOND_DIR; both must print the same.
foreach(run FIRST SECOND)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${${run}_DIR} ${${run}}
    OUTPUT_VARIABLE text_${run} ERROR_VARIABLE errors RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${${run}} with ${${run}_DIR}: ${result}\n${text_${run}}\n${errors}")
  endif()
endforeach()
if(text_FIRST STREQUAL "")
  message(FATAL_ERROR "nothing was printed, so nothing was compared")
endif()
if(NOT text_FIRST STREQUAL text_SECOND)
  message(FATAL_ERROR "the texts differ\n--- first\n${text_FIRST}\n--- second\n${text_SECOND}")
endif()
message(STATUS "equal texts")
