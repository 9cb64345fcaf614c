# The libraries of another build tree (FAIRLEAD_PREBUILT) in place of lib/: they do not depend on Python, so a wheel
# for a second Python version builds its extension modules only, and one for that tree's Python nothing.
foreach(library tvm_ffi cuda_dialect_runtime cute_dsl_runtime fairlead)
  set(file ${FAIRLEAD_PREBUILT}/lib/lib${library}.so)
  if(NOT EXISTS ${file})
    message(FATAL_ERROR "FAIRLEAD_PREBUILT: there is no ${file}; build that tree first")
  endif()
  add_library(${library} SHARED IMPORTED GLOBAL)
  set_target_properties(${library} PROPERTIES IMPORTED_LOCATION ${file})
  target_link_libraries(${library} INTERFACE fairlead_headers)
endforeach()
target_link_libraries(cuda_dialect_runtime INTERFACE tvm_ffi)
target_link_libraries(cute_dsl_runtime INTERFACE cuda_dialect_runtime)
target_link_libraries(fairlead INTERFACE tvm_ffi cuda_dialect_runtime)

add_library(cuda_dialect_runtime_static STATIC IMPORTED GLOBAL)
set_target_properties(cuda_dialect_runtime_static PROPERTIES
  IMPORTED_LOCATION ${FAIRLEAD_PREBUILT}/lib/libcuda_dialect_runtime_static.a)
