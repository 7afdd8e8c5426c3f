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

# For one build from nothing (a wheel): sources are compiled several at a time, and headers that a level's many small sources
# share are read once. Less than half of the CPU; but a change compiles its whole batch again, and ccache shares nothing with other builds.
option(GPULOOM_BATCH "Compile sources in batches" OFF)

# gpuloom_batch(target [SIZE n] [ALONE sources...] [HEADERS headers...]): how a target is compiled then. ALONE: sources that
# have a name in common with another of the level. HEADERS: precompiled, in place of batches.
function(gpuloom_batch target)
  if(NOT GPULOOM_BATCH)
    return()
  endif()
  cmake_parse_arguments(ARG "" "SIZE" "ALONE;HEADERS" ${ARGN})
  target_compile_options(${target} PRIVATE -Wno-error)  # what GCC 12 sees across files of a batch is not always there
  if(ARG_HEADERS)
    list(TRANSFORM ARG_HEADERS PREPEND ${CMAKE_SOURCE_DIR}/)
    target_precompile_headers(${target} PRIVATE ${ARG_HEADERS})
    return()
  endif()
  if(NOT ARG_SIZE)
    set(ARG_SIZE 12)
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${ARG_SIZE})
  list(TRANSFORM ARG_ALONE PREPEND ${CMAKE_SOURCE_DIR}/)
  set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
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
