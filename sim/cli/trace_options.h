// SPDX-License-Identifier: Apache-2.0
// --trace and its companions: what to record, and writing it in the format that was asked for.
#pragma once
#include <string>
#include <vector>

#include "sim/report/result.h"
#include "traces/timeline.h"

namespace CLI {
class App;
}

namespace gpuloom::cli {

struct TraceArguments {
  std::string format, window;
  std::vector<unsigned> sms;
  std::string file;
};
void add_trace_options(CLI::App& command, TraceArguments& arguments);
// Files go to `folder`, or to the current one where that is empty. Throws Error (kUsage) for a window that is
// none.
traces::TraceRequest trace_request(const TraceArguments& arguments, const std::string& folder);
// Writes what the run recorded; returns lines for the user, or "".
std::string write_trace(const TraceArguments& arguments, const std::string& folder, const RunReport& run);

}  // namespace gpuloom::cli
