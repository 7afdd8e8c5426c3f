# SPDX-License-Identifier: Apache-2.0
# The program as a user calls it, where a test needs more than one process.
foreach(backend local dask slurm)
  add_test(NAME sweep_${backend} COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/cli/sweep_test.py $<TARGET_FILE:gpuloom> ${backend})
  set_tests_properties(sweep_${backend} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
add_test(NAME readme COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/cli/readme_test.py $<TARGET_FILE:gpuloom> ${CMAKE_SOURCE_DIR})
# Kernels that a compiler writes here and now: skipped where the triton package is not installed (scripts/setup --triton).
add_test(NAME triton_tutorials COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/triton/tutorials_test.py $<TARGET_FILE:gpuloom>)
set_tests_properties(triton_tutorials PROPERTIES SKIP_RETURN_CODE 77)
# Every key of two configurations changed, one by one, by a process for each core: under a minute of two cores each.
foreach(machine h200 rtx4090)
  add_test(NAME configuration_keys_${machine} COMMAND gpuloom_tests "[keys_${machine}]")
  set_tests_properties(configuration_keys_${machine} PROPERTIES RUN_SERIAL ON)
endforeach()
# Planted defects that gpuloom explain must name first: the quick ones; tests/explain/score.py runs all.
add_test(NAME explain_small COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/explain/score.py $<TARGET_FILE:gpuloom> --small --floor 5 4)
# Editors check files by these schemas: they must fit every file of the tree.
add_test(NAME schemas COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/cli/schema_test.py $<TARGET_FILE:gpuloom> ${CMAKE_SOURCE_DIR})
set_tests_properties(schemas PROPERTIES SKIP_RETURN_CODE 77)
# The report in a browser: skipped where Playwright or a Chromium is not installed (scripts/setup --browser).
add_test(NAME report_in_a_browser COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/cli/report_test.py $<TARGET_FILE:gpuloom> ${CMAKE_SOURCE_DIR})
set_tests_properties(report_in_a_browser PROPERTIES SKIP_RETURN_CODE 77)
# Every answer of the probes is CSV with named columns.
add_test(NAME probe_answers COMMAND python3 ${CMAKE_SOURCE_DIR}/bench/silicon/probes/answers.py)
set_tests_properties(probe_answers PROPERTIES SKIP_RETURN_CODE 77)
# Notebooks of the documentation were executed; where Jupyter and the package are, they are executed again.
add_test(NAME notebooks COMMAND python3 ${CMAKE_SOURCE_DIR}/scripts/notebooks --check)
set_tests_properties(notebooks PROPERTIES SKIP_RETURN_CODE 77)
# Sources that are compiled as one must have no name in common.
add_test(NAME batches COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/cli/batches_test.py ${CMAKE_SOURCE_DIR})
