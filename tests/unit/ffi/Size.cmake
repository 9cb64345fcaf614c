# LIBRARY without its symbol table, as a wheel has it, is no larger than LIMIT bytes.
set(stripped ${FOLDER}/stripped.so)
execute_process(COMMAND ${STRIP} -o ${stripped} ${LIBRARY} COMMAND_ERROR_IS_FATAL ANY)
file(SIZE ${stripped} size)
file(REMOVE ${stripped})
if(size GREATER LIMIT)
  message(FATAL_ERROR "${LIBRARY} has ${size} bytes when stripped; the limit is ${LIMIT}")
endif()
message(STATUS "${size} bytes, at most ${LIMIT}")
