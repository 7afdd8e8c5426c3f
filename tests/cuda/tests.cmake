# SPDX-License-Identifier: Apache-2.0
# CUDA programs on the simulated GPU. One is made without nvcc, from a committed fatbin; the gallery is compiled where nvcc is.
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

find_program(NVCC nvcc HINTS $ENV{CUDA_HOME}/bin /usr/local/cuda/bin)
if(NVCC)  # a script may be left where its toolkit is not
  execute_process(COMMAND ${NVCC} --version RESULT_VARIABLE NVCC_FAILS OUTPUT_QUIET ERROR_QUIET)
endif()
if(NVCC AND NOT NVCC_FAILS)
  if(GPULOOM_SANITIZE)
    set(slower --seconds 1800)
    set(sanitized --sanitized)
  endif()
  add_test(NAME cuda_gallery COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/cuda/gallery.py --gpuloom $<TARGET_FILE:gpuloom> --nvcc ${NVCC}
           --build ${CMAKE_BINARY_DIR}/tests/cuda ${slower})
  add_test(NAME cuda_robustness COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/cuda/robustness/robustness.py --gpuloom $<TARGET_FILE:gpuloom>
           --nvcc ${NVCC} --build ${CMAKE_BINARY_DIR}/tests/cuda ${sanitized})
endif()
