// SPDX-License-Identifier: Apache-2.0
// A report of one or several results as one HTML file.
#pragma once
#include <string>
#include <vector>

#include "sim/api/html/page_run.h"

namespace gpuloom::sim {

struct HtmlReportOptions {
  std::string title;  // "" for one that the first result gives
  int baseline = -1;  // which of the results the page compares with at first; -1: none
};

// The first result is what the page shows at first; a reader can switch to each other one and compare with
// it. No architecture model may be alive in the process: the definitions of counters come from one.
std::string html_report(std::vector<PageRun> runs, const HtmlReportOptions& options);

// The same of paths: folders, result.json files or directories of sweeps.
std::string html_report_of(const std::vector<std::string>& paths, const HtmlReportOptions& options);

}  // namespace gpuloom::sim
