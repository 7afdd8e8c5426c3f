# SPDX-License-Identifier: Apache-2.0
# The program as a user calls it, where a test needs more than one process.
foreach(backend local dask slurm)
  add_test(NAME sweep_${backend} COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/cli/sweep_test.py $<TARGET_FILE:gpuloom> ${backend})
  set_tests_properties(sweep_${backend} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
endforeach()
add_test(NAME readme COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/cli/readme_test.py $<TARGET_FILE:gpuloom> ${CMAKE_SOURCE_DIR})
set_tests_properties(readme PROPERTIES TIMEOUT 600)
# Kernels that a compiler writes here and now: skipped where the triton package is not installed (scripts/setup --triton).
add_test(NAME triton_tutorials COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/triton/tutorials_test.py $<TARGET_FILE:gpuloom>)
set_tests_properties(triton_tutorials PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900)
# Every key of two configurations changed, one by one: a quarter of an hour, so only with `ctest -C nightly -R configuration_keys`.
foreach(machine h200 rtx4090)
  add_test(NAME configuration_keys_${machine} CONFIGURATIONS nightly COMMAND gpuloom_tests "[keys_${machine}]")
  set_tests_properties(configuration_keys_${machine} PROPERTIES TIMEOUT 1200 ENVIRONMENT GPULOOM_CONFIGURATION_KEYS=1)
endforeach()
# Editors check files by these schemas: they must fit every file of the tree.
add_test(NAME schemas COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/cli/schema_test.py $<TARGET_FILE:gpuloom> ${CMAKE_SOURCE_DIR})
set_tests_properties(schemas PROPERTIES SKIP_RETURN_CODE 77)
