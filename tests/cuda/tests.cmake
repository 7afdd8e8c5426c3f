# SPDX-License-Identifier: Apache-2.0
# CUDA programs on the simulated GPU. One is made without nvcc, from a committed fatbin; the gallery runs as nvcc made it once
# (committed/), and is compiled anew where nvcc is.
add_executable(cuda_stub_program ${CMAKE_SOURCE_DIR}/tests/cuda/stub/program.cpp)
target_link_libraries(cuda_stub_program PRIVATE cudart)
target_include_directories(cuda_stub_program PRIVATE ${CMAKE_SOURCE_DIR})
set_source_files_properties(${CMAKE_SOURCE_DIR}/tests/cuda/stub/program.cpp PROPERTIES
                            COMPILE_DEFINITIONS "GPULOOM_TEST_FATBIN=\"${CMAKE_SOURCE_DIR}/tests/cuda/stub/kernels.fatbin\""
                            OBJECT_DEPENDS ${CMAKE_SOURCE_DIR}/tests/cuda/stub/kernels.fatbin)
set_target_properties(cuda_stub_program PROPERTIES CXX_STANDARD 20 SKIP_BUILD_RPATH ON)  # it finds the library as any program does: by gpuloom exec
add_test(NAME cuda_stub COMMAND gpuloom exec -q $<TARGET_FILE:cuda_stub_program>)

add_test(NAME exec_options COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/cli/exec_test.py $<TARGET_FILE:gpuloom> $<TARGET_FILE:cuda_stub_program>
         ${CMAKE_SOURCE_DIR})
set_tests_properties(exec_options PROPERTIES SKIP_RETURN_CODE 77)

# Kernels that numba-cuda and CuPy's NVRTC compile here and now: skipped where they are not installed (scripts/setup --cuda-python).
add_test(NAME numba COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/cuda/python/numba_test.py $<TARGET_FILE:gpuloom>)
add_test(NAME cupy COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/cuda/python/cupy_test.py $<TARGET_FILE:gpuloom>)
set_tests_properties(numba cupy PROPERTIES SKIP_RETURN_CODE 77)

# Under the sanitizers everything takes many times as long. Other tests may have the cores meanwhile, so no limit is near.
if(GPULOOM_SANITIZE)
  set(sanitized --sanitized)
endif()
set(cuda_gallery_with python3 ${CMAKE_SOURCE_DIR}/tests/cuda/gallery.py --gpuloom $<TARGET_FILE:gpuloom> --build ${CMAKE_BINARY_DIR}/tests/cuda
    --seconds 1500)
set(cuda_robustness_with python3 ${CMAKE_SOURCE_DIR}/tests/cuda/robustness/robustness.py --gpuloom $<TARGET_FILE:gpuloom>
    --build ${CMAKE_BINARY_DIR}/tests/cuda --seconds 1500 ${sanitized})
add_test(NAME cuda_committed_sources COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/cuda/committed/make.py --check)
add_test(NAME cuda_committed COMMAND ${cuda_gallery_with} --committed)
add_test(NAME cuda_committed_robustness COMMAND ${cuda_robustness_with} --committed)
set(cuda_tests cuda_committed cuda_committed_robustness)
if(NOT GPULOOM_SANITIZE)  # rules takes minutes in time, and peers does under the sanitizers
  add_test(NAME cuda_committed_timed COMMAND ${cuda_gallery_with} --committed "--exec=-q --timed" --without rules)
  list(APPEND cuda_tests cuda_committed_timed)
endif()

find_program(NVCC nvcc HINTS $ENV{CUDA_HOME}/bin /usr/local/cuda/bin)
if(NVCC)  # a script may be left where its toolkit is not
  execute_process(COMMAND ${NVCC} --version RESULT_VARIABLE NVCC_FAILS OUTPUT_QUIET ERROR_QUIET)
endif()
if(NVCC AND NOT NVCC_FAILS)
  add_test(NAME cuda_gallery COMMAND ${cuda_gallery_with} --nvcc ${NVCC})
  add_test(NAME cuda_robustness COMMAND ${cuda_robustness_with} --nvcc ${NVCC})
  list(APPEND cuda_tests cuda_gallery cuda_robustness)
endif()
set_tests_properties(${cuda_tests} PROPERTIES TIMEOUT 3600)
