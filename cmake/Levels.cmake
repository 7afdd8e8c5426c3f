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

# Sources are compiled several at a time, since most of a small source's time goes into reading headers.
# SMALL: a few neighbours at a time, so that a change is compiled in seconds; same flags, and ccache shares them.
# ON, for one build from nothing (a wheel): as many as fit, with precompiled headers, and less optimisation outside of the simulation;
# a change compiles its whole batch again, and ccache shares nothing with other builds. AUTO: ON, unless scripts/build has been here,
# whose objects ccache then has. OFF: each source by itself, which finds includes that are missing.
set(GPULOOM_BATCH SMALL CACHE STRING "Compile sources in batches: SMALL, ON (large ones), AUTO or OFF")
set(GPULOOM_IN_BATCHES ${GPULOOM_BATCH})
if(GPULOOM_BATCH STREQUAL "AUTO")
  set(GPULOOM_IN_BATCHES ON)
  if(CCACHE AND EXISTS ${CMAKE_SOURCE_DIR}/build/release/libgpuloom_api.a)
    set(GPULOOM_IN_BATCHES SMALL)
  endif()
endif()
set(GPULOOM_LARGE_BATCHES ${GPULOOM_IN_BATCHES})
if(GPULOOM_IN_BATCHES STREQUAL "SMALL")
  set(GPULOOM_LARGE_BATCHES OFF)
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# gpuloom_batch(target [OPTIMISE level] [HEADERS headers... | OWN_FLAGS] [ALWAYS]): how a target is compiled then, after all its sources are known.
# The options are for large batches. OPTIMISE: the -O of what only reads options, hands over and prints (-Og takes GCC 12 27 % less
# than -O1). HEADERS: precompiled for this target. Without, those of libraries that most sources read are, once for all
# levels of optimisation, which GCC allows to differ; OWN_FLAGS: the target is compiled otherwise than most, so that it cannot take them.
function(gpuloom_batch target)
  cmake_parse_arguments(ARG "OWN_FLAGS;ALWAYS" "OPTIMISE" "HEADERS" ${ARGN})
  get_target_property(sources ${target} SOURCES)
  # A policy is a file by itself, with definitions of its own, and few headers.
  set(by_themselves ${sources})
  list(FILTER by_themselves INCLUDE REGEX "/generated/|/arch/policy/")
  list(REMOVE_ITEM sources ${by_themselves})
  if(GPULOOM_LARGE_BATCHES OR ARG_ALWAYS)
    gpuloom_batch_options(${target} "${ARG_OPTIMISE}")
    gpuloom_precompile(${target} "${ARG_HEADERS}" ${ARG_OWN_FLAGS})
    set_source_files_properties(${by_themselves} TARGET_DIRECTORY ${target} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    gpuloom_make_batches(${target} 64 0 ${sources})
  else()
    gpuloom_small_batches(${target})
  endif()
endfunction()

# gpuloom_small_batches(target [times]): what no wheel has is never compiled in large batches. `times`: with batches so much larger.
function(gpuloom_small_batches target)
  if(NOT GPULOOM_IN_BATCHES STREQUAL "SMALL")
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "/generated/|/arch/policy/")
  set(times ${ARGN} 1)
  list(GET times 0 times)
  math(EXPR size "12 * ${times}")
  math(EXPR lines "1500 * ${times}")
  gpuloom_make_batches(${target} ${size} ${lines} ${sources})
endfunction()

# batches.py finds which sources have no name in common, now and whenever one has changed: if they then no longer fit, CMake runs again.
function(gpuloom_make_batches target size lines)
  set(sources "")
  foreach(source IN LISTS ARGN)
    get_filename_component(source ${source} ABSOLUTE)
    get_source_file_property(definitions ${source} COMPILE_DEFINITIONS)
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    if(NOT definitions AND NOT options)
      list(APPEND sources ${source})
    endif()
  endforeach()
  set(folder ${CMAKE_BINARY_DIR}/generated/batches)
  set(command ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/batches.py ${CMAKE_SOURCE_DIR} ${folder} ${target} ${size} ${lines} ${sources})
  execute_process(COMMAND ${command} COMMAND_ERROR_IS_FATAL ANY)
  file(STRINGS ${folder}/${target}.txt batches)
  foreach(batch IN LISTS batches)
    list(POP_FRONT batch file)
    target_sources(${target} PRIVATE ${file})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # which takes an unnamed namespace outside of the compiled file for one in a header,
      # and finds that names shadow those of the other sources. Sources by themselves (preset alone, debug) keep both warnings.
      set_source_files_properties(${file} TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS "-Wno-subobject-linkage;-Wno-shadow")
    endif()
    set_source_files_properties(${batch} TARGET_DIRECTORY ${target} PROPERTIES HEADER_FILE_ONLY ON)
  endforeach()
  add_custom_command(OUTPUT ${folder}/${target}.txt COMMAND ${command} DEPENDS ${sources} ${CMAKE_SOURCE_DIR}/cmake/batches.py
                     DEPFILE ${folder}/${target}.d COMMENT "Batches of ${target}" VERBATIM)
  add_custom_target(${target}_batches DEPENDS ${folder}/${target}.txt)  # by itself: it waits for no library
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${target}.txt)
endfunction()

function(gpuloom_precompile target headers own_flags)
  if(headers)
    list(TRANSFORM headers PREPEND ${CMAKE_SOURCE_DIR}/)
    target_precompile_headers(${target} PRIVATE ${headers})
  elseif(NOT own_flags)
    set(shared gpuloom_headers)
    if(NOT TARGET ${shared})
      file(WRITE ${CMAKE_BINARY_DIR}/generated/${shared}.cpp "// For its precompiled headers.\n")
      add_library(${shared} OBJECT ${CMAKE_BINARY_DIR}/generated/${shared}.cpp)
      target_link_libraries(${shared} PRIVATE fmt::fmt nlohmann_json::nlohmann_json)
      gpuloom_target_defaults(${shared})
      gpuloom_batch_options(${shared} "")
      target_precompile_headers(${shared} PRIVATE <algorithm> <array> <atomic> <chrono> <cmath> <deque> <filesystem> <fstream> <functional> <iostream>
                                <map> <memory> <mutex> <numeric> <optional> <set> <sstream> <string> <thread> <unordered_map> <unordered_set> <variant>
                                <vector> <fmt/core.h> <nlohmann/json.hpp>)
    endif()
    target_precompile_headers(${target} REUSE_FROM ${shared})
  endif()
endfunction()

function(gpuloom_little_optimised target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
endfunction()

function(gpuloom_batch_options target optimise)
  # Warnings are for the build that makes them errors; across the files of a batch GCC 12 sees some that are not there.
  target_compile_options(${target} PRIVATE -w)
  if(NOT optimise STREQUAL "")
    target_compile_options(${target} PRIVATE -O${optimise})
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # A unit is never too large to inline into, as a source by itself is not; and what ccache wants of compilations with precompiled headers.
    target_compile_options(${target} PRIVATE --param=large-unit-insns=100000000 -fpch-preprocess)
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
  if(GPULOOM_LARGE_BATCHES)
    gpuloom_batch_options(${name} g)  # it reads options
  endif()
endfunction()
