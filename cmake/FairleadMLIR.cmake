# MLIR and LLVM 22, linked statically. Debian's exported MLIR targets name `LLVM` (the dylib) as an interface
# library; with both in one process every option registers twice and the process aborts, so the component archives
# take its place.
find_package(MLIR 22.1 REQUIRED CONFIG PATHS /usr/lib/llvm-22)

foreach(target ${MLIR_ALL_LIBS} ${MLIR_DIALECT_LIBS} ${MLIR_CONVERSION_LIBS} ${MLIR_EXPORTED_TARGETS} MLIRTransforms)
  if(TARGET ${target})
    get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
    if(links)
      list(TRANSFORM links REPLACE "^LLVM$" fairlead_llvm)
      set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${links}")
    endif()
  endif()
endforeach()

# The wheel stands alone: the two compression libraries are linked statically, and the solver that nothing here uses is left out.
find_library(FAIRLEAD_ZLIB_STATIC libz.a REQUIRED)
find_library(FAIRLEAD_ZSTD_STATIC libzstd.a REQUIRED)
get_target_property(links LLVMSupport INTERFACE_LINK_LIBRARIES)
list(FILTER links EXCLUDE REGEX "[zZ]3")
list(TRANSFORM links REPLACE "^ZLIB::ZLIB$" "${FAIRLEAD_ZLIB_STATIC}")
list(TRANSFORM links REPLACE "^zstd::.*$" "${FAIRLEAD_ZSTD_STATIC}")
set_target_properties(LLVMSupport PROPERTIES INTERFACE_LINK_LIBRARIES "${links}")

# LLVM IR and code generation, for targets that do not see MLIR.
llvm_map_components_to_libnames(fairlead_llvm_libs core support passes nvptxcodegen nvptxdesc nvptxinfo
  x86codegen x86desc x86info x86asmparser aarch64codegen aarch64desc aarch64info irreader linker bitreader objcopy)
add_library(fairlead_llvm INTERFACE)
target_include_directories(fairlead_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_link_libraries(fairlead_llvm INTERFACE ${fairlead_llvm_libs})

add_library(fairlead_mlir INTERFACE)
target_include_directories(fairlead_mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_link_libraries(fairlead_mlir INTERFACE
  MLIRIR MLIRPass MLIRTransforms MLIRArithDialect MLIRMathDialect MLIRSCFDialect MLIRGPUDialect MLIRFuncDialect
  MLIRLLVMDialect MLIRNVVMDialect MLIRSCFToControlFlow MLIRGPUToNVVMTransforms MLIRArithToLLVM MLIRMathToLLVM MLIRConvertToLLVMPass
  MLIRControlFlowToLLVM MLIRFuncToLLVM MLIRReconcileUnrealizedCasts MLIRTargetLLVMIRExport
  MLIRLLVMToLLVMIRTranslation MLIRNVVMToLLVMIRTranslation MLIRBuiltinToLLVMIRTranslation
  MLIRGPUToLLVMIRTranslation fairlead_llvm)
