// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/trace_options.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "base/config/units.h"
#include "base/error.h"
#include "base/text.h"
#include "sim/memory/files.h"
#include "traces/writers.h"

namespace gpuloom::cli {
namespace {

uint64_t cycle_of(const std::string& window, const std::string& text) {
  int64_t value = 0;
  if (parse_integer(text, value) && value >= 0) return static_cast<uint64_t>(value);
  throw Error(ErrorKind::kUsage, fmt::format("--trace-window: '{}' is no window of cycles", window), {},
              "5000:6000, or 5000: for everything from there on");
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
      ->check(CLI::IsMember({"perfetto", "konata", "vcd"}))
      ->group(group);
  command.add_option("--trace-window", a.window, "Cycles of the launch to record: 5000:6000 (default: all)")
      ->group(group);
  command.add_option("--trace-sm", a.sms, "SMs to record: 0,5 (default: 0)")->delimiter(',')->group(group);
  command.add_option("--trace-file", a.file, "File without extension (default: trace, in the output folder)")
      ->group(group);
}

traces::TraceRequest trace_request(const TraceArguments& a, const std::string& folder) {
  traces::TraceRequest request;
  if (a.format.empty()) {
    if (!a.window.empty() || !a.sms.empty() || !a.file.empty())
      throw Error(ErrorKind::kUsage, "--trace-window, --trace-sm and --trace-file belong to --trace", {},
                  "--trace perfetto, konata or vcd");
    return request;
  }
  if (!a.file.empty()) sim::expect_folder_of(a.file);
  request.timeline = a.format != "vcd";
  if (a.format == "vcd") request.vcd = base_name(a, folder);
  if (!a.sms.empty()) request.sms = a.sms;
  if (!a.window.empty()) {
    const size_t colon = a.window.find(':');
    if (colon == std::string::npos) cycle_of(a.window, "");
    request.begin = colon == 0 ? 0 : cycle_of(a.window, a.window.substr(0, colon));
    if (colon + 1 < a.window.size()) request.end = cycle_of(a.window, a.window.substr(colon + 1));
    if (request.begin >= request.end) cycle_of(a.window, "");
  }
  // Every issue of a long launch is more than a viewer takes; the pipeline log is nothing else.
  constexpr uint64_t kShort = 50000;
  request.issues = a.format == "konata" || request.end - request.begin <= kShort;
  return request;
}

std::string write_trace(const TraceArguments& a, const std::string& folder, const RunReport& run) {
  const std::string base = base_name(a, folder);
  if (a.format == "vcd") return "  trace: " + base + ".vcd\n";
  if (a.format.empty() || run.timelines.empty()) return {};
  std::string said;
  const auto write = [&](const std::string& path, const std::string& text) {
    sim::write_file(path, text);
    said += fmt::format("  trace: {} ({:.1f} MB)\n", path, static_cast<double>(text.size()) / 1e6);
  };
  if (a.format == "perfetto") {
    std::vector<traces::Timeline> launches;
    for (const auto& t : run.timelines) launches.push_back(*t);
    write(base + ".json", traces::perfetto_json(launches));
  } else {
    const traces::Timeline& last = *run.timelines.back();
    for (const traces::SmTimeline& sm : last.sms)
      write(fmt::format("{}{}.kanata", base, last.sms.size() > 1 ? fmt::format(".sm{}", sm.sm) : ""),
            traces::konata_log(last, sm));
  }
  for (const auto& t : run.timelines)
    for (const traces::SmTimeline& sm : t->sms)
      if (sm.dropped != 0)
        said += fmt::format("  note: SM {} had {} records more than fit: narrow --trace-window\n", sm.sm,
                            with_thousands(sm.dropped));
  return said;
}

}  // namespace gpuloom::cli
