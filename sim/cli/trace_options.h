// SPDX-License-Identifier: Apache-2.0
// --trace and its companions: what to record, and writing it in the format that was asked for.
#pragma once
#include <string>
#include <vector>

#include "sim/api/trace_file.h"
#include "sim/report/result.h"

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
// not one.
sim::TraceChoice trace_choice(const TraceArguments& arguments, const std::string& folder);
// Writes what the run recorded; returns lines for the user, or "".
std::string write_trace(const sim::TraceChoice& choice, const RunReport& run);

}  // namespace gpuloom::cli
