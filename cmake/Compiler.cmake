# SPDX-License-Identifier: Apache-2.0
# Compiler settings that every target shares.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# -O2 for all; the folders whose loops run over the 32 lanes ask for -O3 and wide vectors (LANE_LOOPS).
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1 -fno-omit-frame-pointer")

# Paths are taken relative to the tree, so that build/release, build/python and other clones share objects.
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
endif()

option(GPULOOM_SANITIZE "Address and undefined-behaviour sanitizers" OFF)
option(GPULOOM_SANITIZE_THREADS "Thread sanitizer, which excludes the others" OFF)
option(GPULOOM_COVERAGE "gcov instrumentation" OFF)
option(GPULOOM_FUZZ "Build the libFuzzer targets (clang only)" OFF)
option(GPULOOM_PORTABLE "Baseline instruction set, even where this machine has AVX2" OFF)
option(GPULOOM_WERROR "Warnings are errors" ON)

include(CheckCXXSourceRuns)
if(NOT GPULOOM_PORTABLE)
  check_cxx_source_runs("int main() { return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") && __builtin_cpu_supports(\"bmi2\") ? 0 : 1; }" GPULOOM_HAS_AVX2)
endif()

# Settings of one of our targets. LANE_LOOPS: it holds loops over the lanes of a warp.
function(gpuloom_target_defaults target)
  cmake_parse_arguments(ARG "LANE_LOOPS" "" "" ${ARGN})
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wno-missing-field-initializers -ffp-contract=off)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-restrict)  # GCC 12 warns of std::string's own insert (GCC bug 105651)
    target_compile_options(${target} PRIVATE --param=ggc-min-heapsize=524288)  # KiB before it looks for what it may forget: 6 % less time
  endif()
  # With compilers that nobody here has tried, a new warning must not stop a user's build.
  if(GPULOOM_WERROR AND NOT (CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 14))
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(GPULOOM_HAS_AVX2)
    target_compile_options(${target} PRIVATE -march=x86-64-v3 -mprefer-vector-width=256)
  endif()
  if(ARG_LANE_LOOPS AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    target_compile_options(${target} PRIVATE -O3 -fno-math-errno -fno-trapping-math)
  endif()
  if(GPULOOM_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-sanitize-recover=undefined)
    # With the address sanitizer GCC takes the standard library's own std::regex for uninitialised (GCC bug 105562).
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    endif()
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  endif()
  if(GPULOOM_SANITIZE_THREADS)
    # Programs find device memory at its own address (gpuloom exec), and this sanitizer leaves them few addresses.
    target_compile_definitions(${target} PUBLIC GPULOOM_GLOBAL_BASE=0x7e9000000000)
    target_compile_options(${target} PRIVATE -fsanitize=thread)
    target_link_options(${target} PRIVATE -fsanitize=thread)
  endif()
  if(GPULOOM_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)  # coverage feedback from the libraries too
  endif()
  if(GPULOOM_COVERAGE)
    target_compile_options(${target} PRIVATE --coverage)
    target_link_options(${target} PRIVATE --coverage)
  endif()
endfunction()
