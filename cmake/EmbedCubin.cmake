# Device images inside libraries, for TVM_FFI_EMBED_CUBIN. Part of find_package(tvm_ffi); needs no CUDA language.
#
#   add_tvm_ffi_cubin(<name> CUDA <file.cu> [ARCHITECTURE 90a] [OPTIONS <nvcc option>...] [INCLUDE <folder>...])
#   add_tvm_ffi_fatbin(<name> CUDA <file.cu> [ARCHITECTURES 80 90a ...] [OPTIONS ...] [INCLUDE ...])
#     Compiles device code alone. The image is $<TARGET_PROPERTY:<name>,TVM_FFI_IMAGE>. Architectures default to
#     CMAKE_CUDA_ARCHITECTURES, else nvcc's own choice; a fatbin also holds PTX of the last one.
#
#   tvm_ffi_embed_bin_into(<target> SYMBOL <name> BIN <image>)
#     Puts an image into a library under the name of TVM_FFI_EMBED_CUBIN(<name>). <image> is a file, a target of the
#     functions above, or "$<TARGET_OBJECTS:<that target>>". Call it once for each image.

# The nvcc to compile device code with.
function(_tvm_ffi_find_nvcc result)
  if(CMAKE_CUDA_COMPILER AND CMAKE_CUDA_COMPILER MATCHES "nvcc")
    set(${result} ${CMAKE_CUDA_COMPILER} PARENT_SCOPE)
    return()
  endif()
  find_program(TVM_FFI_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin PATHS /usr/local/cuda/bin)
  if(NOT TVM_FFI_NVCC)
    message(FATAL_ERROR "Compiling CUDA device code needs nvcc of a CUDA toolkit. Set CUDA_HOME or TVM_FFI_NVCC.")
  endif()
  set(${result} ${TVM_FFI_NVCC} PARENT_SCOPE)
endfunction()

function(_tvm_ffi_add_image name kind)
  cmake_parse_arguments(arg "" "CUDA;ARCHITECTURE" "ARCHITECTURES;OPTIONS;INCLUDE" ${ARGN})
  if(NOT arg_CUDA)
    message(FATAL_ERROR "add_tvm_ffi_${kind}(${name}): no CUDA <file>")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_tvm_ffi_${kind}(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  _tvm_ffi_find_nvcc(nvcc)
  set(architectures ${arg_ARCHITECTURE} ${arg_ARCHITECTURES})
  if(NOT architectures)
    # "90a-real" and "90-virtual" are CMake's way of asking for one of the two forms.
    string(REGEX REPLACE "-(real|virtual)" "" architectures "${CMAKE_CUDA_ARCHITECTURES}")
  endif()
  set(flags)
  list(LENGTH architectures count)
  if(kind STREQUAL "cubin")
    if(count GREATER 1)
      message(FATAL_ERROR "add_tvm_ffi_cubin(${name}): a CUBIN is for one architecture, got ${architectures}. "
        "Name one by ARCHITECTURE, or use add_tvm_ffi_fatbin.")
    elseif(architectures MATCHES "^[0-9]+[af]?$")
      set(flags -arch=sm_${architectures})
    elseif(architectures)
      set(flags -arch=${architectures}) # such as native
    endif()
  elseif(architectures MATCHES "^[0-9]")
    foreach(architecture ${architectures})
      list(APPEND flags -gencode arch=compute_${architecture},code=sm_${architecture})
    endforeach()
    list(GET architectures -1 last)
    list(APPEND flags -gencode arch=compute_${last},code=compute_${last})
  elseif(architectures)
    set(flags -arch=${architectures}) # such as native or all-major
  endif()
  foreach(folder ${arg_INCLUDE})
    list(APPEND flags -I${folder})
  endforeach()
  get_filename_component(source ${arg_CUDA} ABSOLUTE)
  set(image ${CMAKE_CURRENT_BINARY_DIR}/${name}.${kind})
  add_custom_command(OUTPUT ${image}
    COMMAND ${nvcc} -${kind} ${flags} ${arg_OPTIONS} -MD -MF ${image}.d -o ${image} ${source}
    DEPENDS ${source} DEPFILE ${image}.d
    COMMENT "Compiling ${name}.${kind}" VERBATIM)
  add_custom_target(${name} DEPENDS ${image})
  set_target_properties(${name} PROPERTIES TVM_FFI_IMAGE ${image})
endfunction()

function(add_tvm_ffi_cubin name)
  _tvm_ffi_add_image(${name} cubin ${ARGN})
endfunction()

function(add_tvm_ffi_fatbin name)
  _tvm_ffi_add_image(${name} fatbin ${ARGN})
endfunction()

function(tvm_ffi_embed_bin_into target)
  cmake_parse_arguments(arg "" "SYMBOL;BIN" "" ${ARGN})
  if(NOT arg_SYMBOL MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "tvm_ffi_embed_bin_into(${target}): SYMBOL must be a C identifier, got \"${arg_SYMBOL}\"")
  endif()
  if(NOT arg_BIN)
    message(FATAL_ERROR "tvm_ffi_embed_bin_into(${target}): no BIN <image>")
  endif()
  string(REGEX REPLACE "^\\$<TARGET_OBJECTS:(.*)>$" "\\1" image "${arg_BIN}")
  if(TARGET ${image})
    set(made_by ${image})
    get_target_property(image ${made_by} TVM_FFI_IMAGE)
    if(NOT image)
      message(FATAL_ERROR "tvm_ffi_embed_bin_into(${target}): ${made_by} was not made by add_tvm_ffi_cubin or "
        "add_tvm_ffi_fatbin")
    endif()
    add_dependencies(${target} ${made_by})
  else()
    get_filename_component(image ${image} ABSOLUTE)
  endif()
  # The assembler includes the bytes: neither ld -r nor objcopy, and the file is read at build time. Hidden symbols let
  # two libraries use one name. The zero after the end serves PTX, which is text.
  set(symbol __tvm_ffi__cubin_${arg_SYMBOL})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}.${arg_SYMBOL}.image.cpp)
  set(text "asm(\".pushsection .rodata\\n\"\n")
  string(APPEND text "    \".balign 16\\n\"\n")
  foreach(each ${symbol} ${symbol}_end)
    string(APPEND text "    \".globl ${each}\\n.hidden ${each}\\n.type ${each}, %object\\n\"\n")
  endforeach()
  string(APPEND text "    \"${symbol}:\\n.incbin \\\"${image}\\\"\\n\"\n")
  string(APPEND text "    \"${symbol}_end:\\n.byte 0\\n.popsection\\n\");\n")
  file(GENERATE OUTPUT ${source} CONTENT "${text}")
  # Link-time optimization may part the symbols from those that use them.
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${image} COMPILE_OPTIONS -fno-lto
    SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${source})
endfunction()
