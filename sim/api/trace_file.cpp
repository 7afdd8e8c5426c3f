// SPDX-License-Identifier: Apache-2.0
#include "sim/api/trace_file.h"

#include <fmt/core.h>

#include "base/text.h"
#include "sim/memory/files.h"
#include "traces/writers.h"

namespace gpuloom::sim {

std::string dropped_copies_note(unsigned sm, uint64_t copies) {
  if (copies == 0) return "";
  return fmt::format(
      "SM {} fills more buffers than are kept: {} copies of its warps are left out of the pipelines. "
      "A smaller launch shows all",
      sm, with_thousands(copies));
}

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
  const uint64_t length = choice.end - choice.begin;
  request.issues_to = choice.format == "konata" ? choice.end : choice.begin + std::min(length, kShort);
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
  const uint64_t issues_to = trace_request(choice).issues_to;
  for (const auto& t : launches) {
    if (issues_to < std::min(t->cycles, choice.end))
      written.notes.push_back(
          fmt::format("single issues of {} are in the trace up to cycle {}: --trace-window shows later ones",
                      t->kernel, with_thousands(issues_to)));
    for (const traces::SmTimeline& sm : t->sms) {
      if (sm.dropped != 0)
        written.notes.push_back(
            fmt::format("SM {} had {} records more than fit: narrow the window of the trace", sm.sm,
                        with_thousands(sm.dropped)));
      if (std::string note = dropped_copies_note(sm.sm, sm.copies_dropped); !note.empty())
        written.notes.push_back(std::move(note));
    }
  }
  return written;
}

}  // namespace gpuloom::sim
