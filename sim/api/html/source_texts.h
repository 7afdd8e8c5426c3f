// SPDX-License-Identifier: Apache-2.0
// Texts of the source lines that a result names, as far as they are still there.
#pragma once
#include <nlohmann/json.hpp>

#include "sim/api/html/page_run.h"

namespace gpuloom::sim {

// {file: {"first": 1, "lines": [...]}} for the files of all lines of `result`. A file that is not found, or
// is newer than the result, is said in run.missing.
nlohmann::ordered_json source_texts(PageRun& run, const nlohmann::ordered_json& result);

// {"first": n, "lines": [...]}: the PTX from the first to the last line that ran; null without.
nlohmann::ordered_json ptx_lines(const PageRun& run, const nlohmann::ordered_json& result);

}  // namespace gpuloom::sim
