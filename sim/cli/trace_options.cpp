// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/trace_options.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "base/config/units.h"
#include "base/error.h"
#include "sim/cli/choice.h"
#include "sim/memory/files.h"

namespace gpuloom::cli {
namespace {

uint64_t cycle_of(const std::string& window, const std::string& text) {
  int64_t value = 0;
  if (parse_integer(text, value) && value >= 0) return static_cast<uint64_t>(value);
  throw Error(ErrorKind::kUsage, fmt::format("--trace-window: '{}' is not a window of cycles", window), {},
              "5000:6000, or 5000: for everything from cycle 5000 on");
}

std::string base_name(const TraceArguments& a, const std::string& folder) {
  if (!a.file.empty()) return a.file;
  return (folder.empty() ? std::string() : folder + "/") + "trace";
}

}  // namespace

void add_trace_options(CLI::App& command, TraceArguments& a) {
  const char* group = "Tracing";
  command
      .add_option("--trace", a.format,
                  "perfetto: a timeline for ui.perfetto.dev; konata: the instruction pipeline; vcd: signals "
                  "over time")
      ->check(one_of({"perfetto", "konata", "vcd"}))
      ->group(group);
  command.add_option("--trace-window", a.window, "Cycles of the launch to record: 5000:6000 (default: all)")
      ->group(group);
  command.add_option("--trace-sm", a.sms, "SMs to record: 0,5 (default: 0)")->delimiter(',')->group(group);
  command.add_option("--trace-file", a.file, "File without extension (default: trace, in the output folder)")
      ->group(group);
}

sim::TraceChoice trace_choice(const TraceArguments& a, const std::string& folder) {
  sim::TraceChoice choice;
  if (a.format.empty()) {
    if (!a.window.empty() || !a.sms.empty() || !a.file.empty())
      throw Error(ErrorKind::kUsage, "--trace-window, --trace-sm and --trace-file need --trace", {},
                  "--trace perfetto, konata or vcd");
    return choice;
  }
  if (!a.file.empty()) sim::expect_folder_of(a.file);
  choice.format = a.format;
  choice.base = base_name(a, folder);
  if (!a.sms.empty()) choice.sms = a.sms;
  if (a.window.empty()) return choice;
  const size_t colon = a.window.find(':');
  if (colon == std::string::npos) cycle_of(a.window, "");
  if (colon != 0) choice.begin = cycle_of(a.window, a.window.substr(0, colon));
  if (colon + 1 < a.window.size()) choice.end = cycle_of(a.window, a.window.substr(colon + 1));
  if (choice.begin >= choice.end) cycle_of(a.window, "");
  return choice;
}

std::string write_trace(const sim::TraceChoice& choice, const RunReport& run) {
  const sim::TraceFiles written = sim::write_trace(choice, run.timelines);
  std::string said;
  for (const auto& file : written.files)
    said += fmt::format(
        "  trace: {}{}\n", file.path,
        file.bytes == 0 ? "" : fmt::format(" ({:.1f} MB)", static_cast<double>(file.bytes) / 1e6));
  for (const std::string& note : written.notes) said += "  note: " + note + "\n";
  return said;
}

}  // namespace gpuloom::cli
