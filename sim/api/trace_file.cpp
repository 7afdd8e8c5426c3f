// SPDX-License-Identifier: Apache-2.0
#include "sim/api/trace_file.h"

#include <fmt/core.h>

#include "base/text.h"
#include "sim/memory/files.h"
#include "traces/writers.h"

namespace gpuloom::sim {

traces::TraceRequest trace_request(const TraceChoice& choice) {
  traces::TraceRequest request;
  if (choice.format.empty()) return request;
  request.timeline = choice.format != "vcd";
  if (choice.format == "vcd") request.vcd = choice.base;
  request.sms = choice.sms;
  request.begin = choice.begin;
  request.end = choice.end;
  // Every issue of a long launch is more than a viewer takes; the pipeline log is nothing else.
  constexpr uint64_t kShort = 50000;
  request.issues = choice.format == "konata" || choice.end - choice.begin <= kShort;
  return request;
}

TraceFiles write_trace(const TraceChoice& choice,
                       const std::vector<std::shared_ptr<const traces::Timeline>>& launches) {
  TraceFiles written;
  if (choice.format == "vcd") written.files.push_back({choice.base + ".vcd", 0});
  if (choice.format.empty() || choice.format == "vcd" || launches.empty()) return written;
  const auto write = [&](const std::string& path, const std::string& text) {
    write_file(path, text);
    written.files.push_back({path, text.size()});
  };
  if (choice.format == "perfetto") {
    std::vector<traces::Timeline> copies;
    for (const auto& t : launches) copies.push_back(*t);
    write(choice.base + ".json", traces::perfetto_json(copies));
  } else {
    const traces::Timeline& last = *launches.back();
    for (const traces::SmTimeline& sm : last.sms)
      write(fmt::format("{}{}.kanata", choice.base, last.sms.size() > 1 ? fmt::format(".sm{}", sm.sm) : ""),
            traces::konata_log(last, sm));
  }
  for (const auto& t : launches)
    for (const traces::SmTimeline& sm : t->sms)
      if (sm.dropped != 0)
        written.notes.push_back(
            fmt::format("SM {} had {} records more than fit: narrow the window of the trace", sm.sm,
                        with_thousands(sm.dropped)));
  return written;
}

}  // namespace gpuloom::sim
