# Libraries of the wheel run with glibc 2.28 and the libstdc++ of GCC 8, whatever is installed where they are built.
#
# fairlead_old_glibc(<target>) links the target against the old symbols of the installed libraries, by stubs that
# link_stubs.py writes, and with lib/oldglibc/Shim.c for what has no old symbol. Not with sanitizers, which bring
# libraries of their own, and not without Python.
find_program(FAIRLEAD_STUB_PYTHON NAMES python3)
option(FAIRLEAD_OLD_GLIBC "Link the libraries so that they run with glibc 2.28" ON)
set(old_glibc_stubs ${PROJECT_BINARY_DIR}/old_glibc)
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR FAIRLEAD_SANITIZE OR NOT FAIRLEAD_STUB_PYTHON)
  set(FAIRLEAD_OLD_GLIBC OFF)
endif()

if(FAIRLEAD_OLD_GLIBC)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/link_stubs.py)
  execute_process(
    COMMAND ${FAIRLEAD_STUB_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/link_stubs.py --compiler ${CMAKE_CXX_COMPILER}
      --readelf ${CMAKE_READELF} --output ${old_glibc_stubs}
    RESULT_VARIABLE status)
  if(status)
    message(FATAL_ERROR "link_stubs.py failed; -DFAIRLEAD_OLD_GLIBC=OFF links against the installed glibc")
  endif()
  add_library(fairlead_old_glibc_shim OBJECT ${PROJECT_SOURCE_DIR}/lib/oldglibc/Shim.c)
  set_target_properties(fairlead_old_glibc_shim PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
  target_compile_options(fairlead_old_glibc_shim PRIVATE -ffunction-sections -fdata-sections)
endif()

function(fairlead_old_glibc target)
  if(NOT FAIRLEAD_OLD_GLIBC)
    return()
  endif()
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:fairlead_old_glibc_shim>)
  target_link_options(${target} BEFORE PRIVATE -L${old_glibc_stubs} LINKER:--gc-sections
    LINKER:--exclude-libs,libstdc++.a)
endfunction()
