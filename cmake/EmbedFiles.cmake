# SPDX-License-Identifier: Apache-2.0
# Text files of the tree as strings of the program, so that it needs no data folder for them.
#
# gpuloom_embed(target HEADER header FUNCTION name FILES files...) adds a source that defines what the header declares:
# `std::string_view name()`, the files one after another. It is made again when one of them changes.
if(CMAKE_SCRIPT_MODE_FILE)
  set(text "")
  string(REPLACE "|" ";" FILES "${FILES}")
  foreach(file IN LISTS FILES)
    file(READ "${file}" content)
    string(APPEND text "${content}")
  endforeach()
  file(WRITE "${OUTPUT}" "// Made by cmake/EmbedFiles.cmake.\n#include \"${HEADER}\"\nnamespace gpuloom {\nstd::string_view ${FUNCTION}() {\n  return R\"gpuloom_text(${text})gpuloom_text\";\n}\n}  // namespace gpuloom\n")
  return()
endif()

set(GPULOOM_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(gpuloom_embed target)
  cmake_parse_arguments(ARG "" "HEADER;FUNCTION" "FILES" ${ARGN})
  list(TRANSFORM ARG_FILES PREPEND ${CMAKE_SOURCE_DIR}/)
  set(output ${CMAKE_BINARY_DIR}/generated/${ARG_FUNCTION}.cpp)
  list(JOIN ARG_FILES "|" files)  # a list would not survive the shell
  add_custom_command(OUTPUT ${output} VERBATIM
    COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" -DOUTPUT=${output} -DHEADER=${ARG_HEADER} -DFUNCTION=${ARG_FUNCTION} -P ${GPULOOM_EMBED_SCRIPT}
    DEPENDS ${ARG_FILES} ${GPULOOM_EMBED_SCRIPT})
  target_sources(${target} PRIVATE ${output})
  set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
