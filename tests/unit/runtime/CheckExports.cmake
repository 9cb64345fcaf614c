# Compares TABLE (RuntimeFunctions.def) with the functions that the headers in HEADERS mark FAIRLEAD_RUNTIME_API, and with
# the functions that the runtime's LIBRARY and ARCHIVE and the open ABI's ABI_LIBRARY define.
function(defined_functions result file)
  execute_process(COMMAND ${NM} --defined-only --extern-only --format=posix ${ARGN} ${file}
    OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "\n[A-Za-z_][A-Za-z0-9_]* [TDBRVW]" lines "\n${symbols}")
  list(TRANSFORM lines REPLACE "\n([A-Za-z0-9_]+) .*" "\\1")
  list(SORT lines)
  set(${result} "${lines}" PARENT_SCOPE)
endfunction()

function(rows_of result macro)
  file(STRINGS ${TABLE} rows REGEX "^${macro}\\(")
  list(TRANSFORM rows REPLACE "^.*, ([A-Za-z0-9_]+)\\)$" "\\1")
  list(SORT rows)
  set(${result} "${rows}" PARENT_SCOPE)
endfunction()

function(expect_same what names expected)
  if(NOT expected OR NOT names STREQUAL expected)
    set(missing ${expected})
    list(REMOVE_ITEM missing ${names})
    list(REMOVE_ITEM names ${expected})
    message(SEND_ERROR "${what} differs from the table. Missing: ${missing}. More: ${names}.")
  endif()
endfunction()

rows_of(table FAIRLEAD_RUNTIME_FUNCTION)

file(GLOB headers ${HEADERS}/*.h)
set(declared)
foreach(header ${headers})
  file(READ ${header} text)
  string(REGEX MATCHALL "FAIRLEAD_RUNTIME_API [A-Za-z0-9_ ]+ [*]?Fairlead[A-Za-z0-9_]+" declarations "${text}")
  list(TRANSFORM declarations REPLACE ".*[ *]" "")
  list(APPEND declared ${declarations})
endforeach()
list(SORT declared)
expect_same("What ${HEADERS} declares" "${declared}" "${table}")

defined_functions(exported ${LIBRARY} -D)
expect_same("What ${LIBRARY} exports" "${exported}" "${table}")

defined_functions(archived ${ARCHIVE})
list(FILTER archived INCLUDE REGEX "^Fairlead")
list(REMOVE_ITEM table FairleadCheckSharedLibrary)
expect_same("What ${ARCHIVE} defines" "${archived}" "${table}")

rows_of(abi FAIRLEAD_ABI_FUNCTION)
string(REPLACE ";" "|" pattern "${abi}")
defined_functions(exported ${ABI_LIBRARY} -D)
list(FILTER exported INCLUDE REGEX "^(${pattern})$")
expect_same("What ${ABI_LIBRARY} exports of it" "${exported}" "${abi}")
