# What every target of the project shares: language level, visibility, warnings, sanitizers.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(FAIRLEAD_CCACHE ccache)
if(FAIRLEAD_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without the sloppiness, files that use a precompiled header are never kept; without the base folder, two clones
  # share nothing.
  set(FAIRLEAD_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${FAIRLEAD_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${FAIRLEAD_LAUNCHER})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${FAIRLEAD_LAUNCHER})
endif()

option(FAIRLEAD_UNITY "Compile files in groups, which makes builds from nothing shorter" ON)

# fairlead_unity(<target> <files>): compiles the target in groups of that many files. Most of the time a file takes goes into the
# headers of LLVM, MLIR or nanobind, which a group parses once. Names at the level of a file are then those of its group.
function(fairlead_unity target files)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${FAIRLEAD_UNITY} UNITY_BUILD_BATCH_SIZE ${files})
endfunction()

# fairlead_unity_group(<target> <group> <file>...): the same, for the files named; those in no group are compiled alone.
function(fairlead_unity_group target group)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${FAIRLEAD_UNITY} UNITY_BUILD_MODE GROUP)
  set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${group})
endfunction()

# fairlead_unity_complete(<target> <file>...): every file of C++ is in a group, but for those named. One forgotten costs a build as
# much as its group.
function(fairlead_unity_complete target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "[.]cpp$")
  list(REMOVE_ITEM sources ${ARGN})
  foreach(source IN LISTS sources)
    get_source_file_property(group ${source} UNITY_GROUP)
    if(NOT group)
      message(FATAL_ERROR "${source} of ${target} is in no group: name it in a fairlead_unity_group")
    endif()
  endforeach()
endfunction()

# Functions with the same machine code are kept once: libfairlead.so is 11 % smaller by LLVM's linker and 10 % by GNU's
# gold. This folds functions whose address is taken, too, as Windows' linker does with LLVM by default: nothing compares
# addresses of functions.
include(CheckLinkerFlag)
find_program(FAIRLEAD_LLD ld.lld HINTS /usr/lib/llvm-22/bin)
set(fairlead_folding "-fuse-ld=gold;-Wl,--icf=all")
if(FAIRLEAD_LLD)
  get_filename_component(lld_dir ${FAIRLEAD_LLD} DIRECTORY)
  # The compiler looks for the linker there.
  set(fairlead_folding "-B${lld_dir};-fuse-ld=lld;-Wl,--icf=all")
endif()
check_linker_flag(CXX "${fairlead_folding}" FAIRLEAD_HAVE_FOLDING)
if(NOT FAIRLEAD_HAVE_FOLDING AND NOT FAIRLEAD_SANITIZE)
  message(WARNING "There is neither LLVM's ld.lld nor GNU's ld.gold: libfairlead.so will be 13 % larger.")
endif()

add_library(fairlead_flags INTERFACE)
target_compile_options(fairlead_flags INTERFACE -Wall -Wextra -ffunction-sections -fdata-sections)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in `"text" + string` that are not there.
  target_compile_options(fairlead_flags INTERFACE -Wno-restrict)
endif()
if(FAIRLEAD_WERROR)
  target_compile_options(fairlead_flags INTERFACE -Werror)
endif()
if(FAIRLEAD_SANITIZE)
  target_compile_options(fairlead_flags INTERFACE -fsanitize=${FAIRLEAD_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(fairlead_flags INTERFACE -fsanitize=${FAIRLEAD_SANITIZE})
endif()

# For tests and examples: not optimised, and GCC collects no garbage in its first 512 MB, which takes 7 % of its time.
set(fairlead_quick_compile $<$<CONFIG:Release,RelWithDebInfo>:-O0>
    $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>)

# The public headers: the open ABI's (include/tvm, include/dlpack) and Fairlead's own.
add_library(fairlead_headers INTERFACE)
target_include_directories(fairlead_headers INTERFACE ${PROJECT_SOURCE_DIR}/include)

# fairlead_reuse_mlir_header(<executable>): compiles with the precompiled header of lib/ir and, as that needs, as position
# independent code of its level of optimisation.
function(fairlead_reuse_mlir_header name)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC $<$<CONFIG:Release,RelWithDebInfo>:-Os>)
  target_precompile_headers(${name} REUSE_FROM fairlead_ir)
endfunction()
