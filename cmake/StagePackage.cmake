# Script: makes PACKAGE look like an installed fairlead package, with links to the sources and to LIBRARIES.
cmake_minimum_required(VERSION 3.25)

file(GLOB_RECURSE sources RELATIVE ${SOURCE}/python/fairlead
  ${SOURCE}/python/fairlead/*.py ${SOURCE}/python/fairlead/*.pyi ${SOURCE}/python/fairlead/py.typed)

# Links to files that are gone would still be importable names.
file(GLOB_RECURSE staged LIST_DIRECTORIES false RELATIVE ${PACKAGE}
  ${PACKAGE}/*.py ${PACKAGE}/*.pyi ${PACKAGE}/py.typed)
list(REMOVE_ITEM staged ${sources})
foreach(file ${staged})
  file(REMOVE ${PACKAGE}/${file})
endforeach()

function(link target name)
  if(IS_SYMLINK ${name})
    file(READ_SYMLINK ${name} present)
    if(present STREQUAL target)
      return()
    endif()
  endif()
  get_filename_component(folder ${name} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(REMOVE_RECURSE ${name})
  file(CREATE_LINK ${target} ${name} SYMBOLIC)
endfunction()

foreach(file ${sources})
  link(${SOURCE}/python/fairlead/${file} ${PACKAGE}/${file})
endforeach()
foreach(library ${LIBRARIES})
  get_filename_component(name ${library} NAME)
  link(${library} ${PACKAGE}/lib/${name})
endforeach()
link(${SOURCE}/include ${PACKAGE}/include)
# File by file: pkg-config finds the rest by "..", which would lead out of a linked folder.
if(IS_SYMLINK ${PACKAGE}/share)
  file(REMOVE ${PACKAGE}/share)
endif()
file(GLOB_RECURSE shared RELATIVE ${SHARE} ${SHARE}/*)
foreach(file ${shared})
  link(${SHARE}/${file} ${PACKAGE}/share/${file})
endforeach()
