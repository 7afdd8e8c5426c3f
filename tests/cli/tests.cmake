# SPDX-License-Identifier: Apache-2.0
# The program as a user calls it, where a test needs more than one process.
foreach(backend local dask slurm)
  add_test(NAME sweep_${backend} COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/cli/sweep_test.py $<TARGET_FILE:gpuloom> ${backend})
  set_tests_properties(sweep_${backend} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
endforeach()
add_test(NAME readme COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/cli/readme_test.py $<TARGET_FILE:gpuloom> ${CMAKE_SOURCE_DIR})
set_tests_properties(readme PROPERTIES TIMEOUT 600)
