# The Python package: what a wheel holds and where. The same layout is assembled in the build tree, from links, as
# python/fairlead, so that everything finds its neighbours in one way:
#   fairlead/*.py, _core*.so, _compiler*.so
#   fairlead/lib       libraries that generated code, exported code and C++ programs link
#   fairlead/include   the headers
#   fairlead/share     CMake packages and pkg-config files
set(package_dir ${PROJECT_BINARY_DIR}/python/fairlead)

# Extension modules and libraries, as far as this configuration builds them.
set(extension_targets)
foreach(target _core _compiler)
  if(TARGET ${target})
    list(APPEND extension_targets ${target})
    get_target_property(imported ${target} IMPORTED)
    if(NOT imported)
      set_target_properties(${target} PROPERTIES
        LIBRARY_OUTPUT_DIRECTORY ${package_dir}
        INSTALL_RPATH "$ORIGIN/lib")
      fairlead_old_glibc(${target})
    endif()
  endif()
endforeach()
set(library_targets)
foreach(target tvm_ffi cuda_dialect_runtime cuda_dialect_runtime_static cute_dsl_runtime fairlead)
  if(TARGET ${target})
    list(APPEND library_targets ${target})
    get_target_property(imported ${target} IMPORTED)
    if(NOT imported)
      set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN")
      get_target_property(type ${target} TYPE)
      if(type STREQUAL "SHARED_LIBRARY")
        fairlead_old_glibc(${target})
      endif()
    endif()
  endif()
endforeach()

if(TARGET fairlead_sorted)
  fairlead_old_glibc(fairlead_sorted)
endif()

# CMake packages and pkg-config files find the rest by their own place, so one copy serves both trees.
set(share_dir ${PROJECT_BINARY_DIR}/share)
configure_file(cmake/fairleadConfig.cmake.in ${share_dir}/cmake/fairlead/fairleadConfig.cmake @ONLY)
configure_file(cmake/tvm_ffi-config.cmake.in ${share_dir}/cmake/tvm_ffi/tvm_ffi-config.cmake @ONLY)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${share_dir}/cmake/fairlead/fairleadConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
configure_file(cmake/EmbedCubin.cmake ${share_dir}/cmake/tvm_ffi/EmbedCubin.cmake COPYONLY)
# The version of Apache's package that the ABI here is the one of.
write_basic_package_version_file(${share_dir}/cmake/tvm_ffi/tvm_ffi-config-version.cmake
  VERSION 0.1.15 COMPATIBILITY SameMinorVersion)
configure_file(cmake/fairlead.pc.in ${share_dir}/pkgconfig/fairlead.pc @ONLY)
configure_file(cmake/tvm_ffi.pc.in ${share_dir}/pkgconfig/tvm_ffi.pc @ONLY)

# The build tree's copy. It runs at every build, so that a new Python file is there without configuring again.
set(library_files)
foreach(target ${library_targets})
  list(APPEND library_files $<TARGET_FILE:${target}>)
endforeach()
add_custom_target(fairlead_package ALL
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DPACKAGE=${package_dir} -DSHARE=${share_dir}
    "-DLIBRARIES=${library_files}" -P ${PROJECT_SOURCE_DIR}/cmake/StagePackage.cmake
  COMMENT "Assembling the Python package" VERBATIM)
foreach(target ${extension_targets} ${library_targets})
  add_dependencies(fairlead_package ${target})
endforeach()

# The wheel's copy. Python files come through pyproject.toml.
foreach(target ${extension_targets})
  get_target_property(imported ${target} IMPORTED)
  if(imported)
    install(FILES $<TARGET_FILE:${target}> DESTINATION fairlead COMPONENT wheel)
  else()
    install(TARGETS ${target} LIBRARY DESTINATION fairlead COMPONENT wheel)
  endif()
endforeach()
foreach(target ${library_targets})
  get_target_property(imported ${target} IMPORTED)
  if(imported)
    install(FILES $<TARGET_FILE:${target}> DESTINATION fairlead/lib COMPONENT wheel)
  else()
    install(TARGETS ${target}
      LIBRARY DESTINATION fairlead/lib COMPONENT wheel
      ARCHIVE DESTINATION fairlead/lib COMPONENT wheel)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "STATIC_LIBRARY") # which `cmake --install --strip` leaves as it is
      install(CODE "if(CMAKE_INSTALL_DO_STRIP)
          execute_process(COMMAND ${CMAKE_STRIP} --strip-unneeded \${CMAKE_INSTALL_PREFIX}/fairlead/lib/$<TARGET_FILE_NAME:${target}> COMMAND_ERROR_IS_FATAL ANY)
        endif()" COMPONENT wheel)
    endif()
  endif()
endforeach()
# What ./run wheel builds before it installs.
add_custom_target(fairlead_wheel)
add_dependencies(fairlead_wheel fairlead_package)
if(TARGET fairlead_sorted) # takes the place of fairlead where it was built
  add_dependencies(fairlead_wheel fairlead_sorted)
  install(TARGETS fairlead_sorted LIBRARY DESTINATION fairlead/lib COMPONENT wheel OPTIONAL)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION fairlead/include COMPONENT wheel)
install(DIRECTORY ${share_dir}/ DESTINATION fairlead/share COMPONENT wheel)
