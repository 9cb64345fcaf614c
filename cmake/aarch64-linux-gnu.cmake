# Toolchain file: builds for 64-bit ARM Linux on another machine.
#
#     cmake -B build-aarch64 -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64-linux-gnu.cmake -DFAIRLEAD_SYSROOT=FOLDER
#
# The sysroot holds Debian's packages for arm64, with MLIR and LLVM 22; scripts/fairlead_dev/aarch64_system.py makes one.
# Programs that the build runs (clang-22, Python) are the building machine's; tests run under qemu.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(FAIRLEAD_SYSROOT "${CMAKE_CURRENT_LIST_DIR}/../build-aarch64-system/sysroot" CACHE PATH "Root of the target's packages")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES FAIRLEAD_SYSROOT)
get_filename_component(CMAKE_SYSROOT ${FAIRLEAD_SYSROOT} ABSOLUTE)
if(NOT EXISTS ${CMAKE_SYSROOT}/usr/lib/llvm-22)
  message(FATAL_ERROR "FAIRLEAD_SYSROOT: there is no usr/lib/llvm-22 in ${CMAKE_SYSROOT}; ./run test-aarch64 makes a sysroot")
endif()

set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc-12)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++-12)
# LLVM's linker, if the building machine has it, links each of the tests that hold MLIR several times as fast as GNU's.
find_program(FAIRLEAD_LLD ld.lld HINTS /usr/lib/llvm-22/bin)
if(FAIRLEAD_LLD)
  get_filename_component(lld_dir ${FAIRLEAD_LLD} DIRECTORY)
  foreach(kind EXE SHARED MODULE)
    # The compiler looks for the linker in the folder.
    set(CMAKE_${kind}_LINKER_FLAGS_INIT "-B${lld_dir} -fuse-ld=lld")
  endforeach()
endif()
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH ${CMAKE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
set(CMAKE_PREFIX_PATH ${CMAKE_SYSROOT}/usr/lib/llvm-22)
set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/../scripts/emulate_aarch64.sh ${CMAKE_SYSROOT})
