# SPDX-License-Identifier: Apache-2.0
# A level of the design is one static library; files are found by folder so that adding one needs no list.

# gpuloom_sources(target folder-or-file...): adds all .cpp below each folder, except programs (main.cpp, *_main.cpp).
function(gpuloom_sources target)
  foreach(place ${ARGN})
    if(place MATCHES "\\.cpp$")
      target_sources(${target} PRIVATE ${place})
    else()
      file(GLOB_RECURSE found CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${place}/*.cpp)
      list(FILTER found EXCLUDE REGEX "[/_]main\\.cpp$")
      target_sources(${target} PRIVATE ${found})
    endif()
  endforeach()
endfunction()

# gpuloom_level(name SOURCES folders... LINK targets... [LANE_LOOPS])
function(gpuloom_level name)
  cmake_parse_arguments(ARG "LANE_LOOPS" "" "SOURCES;LINK" ${ARGN})
  add_library(gpuloom_${name} STATIC)
  file(WRITE ${CMAKE_BINARY_DIR}/generated/empty/${name}.cpp "// Keeps a level without sources linkable.\n")
  target_sources(gpuloom_${name} PRIVATE ${CMAKE_BINARY_DIR}/generated/empty/${name}.cpp)
  gpuloom_sources(gpuloom_${name} ${ARG_SOURCES})
  target_link_libraries(gpuloom_${name} PUBLIC ${ARG_LINK})
  if(ARG_LANE_LOOPS)
    gpuloom_target_defaults(gpuloom_${name} LANE_LOOPS)
  else()
    gpuloom_target_defaults(gpuloom_${name})
  endif()
endfunction()

# gpuloom_program(name main.cpp level): an executable of one file on a level, beside the others.
function(gpuloom_program name main level)
  add_executable(${name} ${main})
  target_link_libraries(${name} PRIVATE ${level})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  gpuloom_target_defaults(${name})
endfunction()
