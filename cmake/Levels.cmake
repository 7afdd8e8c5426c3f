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
# share are read once. That takes less CPU; but a change compiles its whole batch again, and ccache shares nothing with other builds.
# AUTO: unless scripts/build has been here, whose objects ccache then has.
set(GPULOOM_BATCH OFF CACHE STRING "Compile sources in batches, with less optimisation outside of the simulation: ON, OFF or AUTO")
set(GPULOOM_IN_BATCHES ${GPULOOM_BATCH})
if(GPULOOM_BATCH STREQUAL "AUTO")
  set(GPULOOM_IN_BATCHES ON)
  if(CCACHE AND EXISTS ${CMAKE_SOURCE_DIR}/build/release/libgpuloom_api.a)
    set(GPULOOM_IN_BATCHES OFF)
  endif()
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# gpuloom_batch(target [OPTIMISE level] [HEADERS headers... | OWN_FLAGS] [ALWAYS]): how a target is compiled then, after all its sources are known.
# batches.py finds which of them have no name in common. OPTIMISE: the -O of what only reads options, hands over and prints (-Og takes
# GCC 12 27 % less than -O1). HEADERS: precompiled for this target. Without, those of libraries that most sources read are, once for all
# levels of optimisation, which GCC allows to differ; OWN_FLAGS: the target is compiled otherwise than most, so that it cannot take them.
function(gpuloom_batch target)
  cmake_parse_arguments(ARG "OWN_FLAGS;ALWAYS" "OPTIMISE" "HEADERS" ${ARGN})
  if(NOT GPULOOM_IN_BATCHES AND NOT ARG_ALWAYS)
    return()
  endif()
  gpuloom_batch_options(${target} "${ARG_OPTIMISE}")
  if(ARG_HEADERS)
    list(TRANSFORM ARG_HEADERS PREPEND ${CMAKE_SOURCE_DIR}/)
    target_precompile_headers(${target} PRIVATE ${ARG_HEADERS})
  elseif(NOT ARG_OWN_FLAGS)
    set(headers gpuloom_headers)
    if(NOT TARGET ${headers})
      file(WRITE ${CMAKE_BINARY_DIR}/generated/${headers}.cpp "// For its precompiled headers.\n")
      add_library(${headers} OBJECT ${CMAKE_BINARY_DIR}/generated/${headers}.cpp)
      target_link_libraries(${headers} PRIVATE fmt::fmt nlohmann_json::nlohmann_json)
      gpuloom_target_defaults(${headers})
      gpuloom_batch_options(${headers} "")
      target_precompile_headers(${headers} PRIVATE <algorithm> <array> <atomic> <chrono> <cmath> <deque> <filesystem> <fstream> <functional> <iostream>
                                <map> <memory> <mutex> <numeric> <optional> <set> <sstream> <string> <thread> <unordered_map> <unordered_set> <variant>
                                <vector> <fmt/core.h> <nlohmann/json.hpp>)
    endif()
    target_precompile_headers(${target} REUSE_FROM ${headers})
  endif()
  get_target_property(sources ${target} SOURCES)
  # A policy is a file by itself, with definitions of its own, and few headers.
  set(by_themselves ${sources})
  list(FILTER by_themselves INCLUDE REGEX "/generated/|/arch/policy/")
  set_source_files_properties(${by_themselves} TARGET_DIRECTORY ${target} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  list(REMOVE_ITEM sources ${by_themselves})
  list(TRANSFORM sources REPLACE "^([^/].*)$" "${CMAKE_CURRENT_SOURCE_DIR}/\\1")
  execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/batches.py ${CMAKE_SOURCE_DIR} 64 ${sources}
                  OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REPLACE "\n" ";" lines "${lines}")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([0-9]+) (.*)$" line "${line}")
    set_source_files_properties(${CMAKE_MATCH_2} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP batch${CMAKE_MATCH_1})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

function(gpuloom_batch_options target optimise)
  # Warnings are for the build that makes them errors; across the files of a batch GCC 12 sees some that are not there.
  target_compile_options(${target} PRIVATE -w)
  if(NOT optimise STREQUAL "")
    target_compile_options(${target} PRIVATE -O${optimise})
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # KiB before GCC looks for what it may forget; a unit is never too large to inline into, as a source by itself is not; and what
    # ccache wants of compilations with precompiled headers.
    target_compile_options(${target} PRIVATE --param=ggc-min-heapsize=1048576 --param=large-unit-insns=100000000 -fpch-preprocess)
  endif()
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
  # Position-independent code may have its functions replaced at load time, so GCC keeps calls within a file as
  # calls. Nobody replaces ours: without that rule timed runs take 8 to 12 % less time (clang never had it).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(gpuloom_${name} PRIVATE -fno-semantic-interposition)
  endif()
endfunction()

# gpuloom_program(name main.cpp level): an executable of one file on a level, beside the others.
function(gpuloom_program name main level)
  add_executable(${name} ${main})
  target_link_libraries(${name} PRIVATE ${level})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  gpuloom_target_defaults(${name})
  if(GPULOOM_IN_BATCHES)
    gpuloom_batch_options(${name} g)  # it reads options
  endif()
endfunction()
