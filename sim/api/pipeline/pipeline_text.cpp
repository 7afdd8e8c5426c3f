// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>
#include <filesystem>

#include "base/demangle.h"
#include "base/text.h"
#include "sim/api/pipeline/pipeline.h"
#include "sim/report/table.h"

namespace gpuloom::sim {
namespace {

std::string rounded(double value) { return with_thousands(static_cast<uint64_t>(std::llround(value))); }
std::string near(const std::string& place) { return std::filesystem::path(place).filename().string(); }

std::string producers_text(const Pipeline& p, size_t width) {
  TextTable table(
      {"Copy", ">Fills", ">Bytes Each", ">Buffers", ">Fill", ">Late", ">Ready", ">Use", ">Step", ">Needed"});
  for (const PipelineProducer& m : p.producers)
    table.row({near(m.place), rounded(static_cast<double>(m.fills)),
               rounded(static_cast<double>(m.bytes) / static_cast<double>(m.fills)),
               std::to_string(m.buffers), rounded(m.fill), m.late_fills == 0 ? "-" : rounded(m.late),
               rounded(m.ready), rounded(m.use), rounded(m.step),
               m.buffers_needed == 0 ? "-" : std::to_string(m.buffers_needed)});
  return table.str("    ", width);
}

std::string launch_text(const Pipeline& p, size_t width) {
  std::string text = fmt::format("{}: {} cycles\n", short_name(p.kernel), with_thousands(p.cycles));
  if (p.producers.empty()) return text + "  No asynchronous copy fills shared memory on the recorded SMs.\n";
  for (const PipelineProducer& m : p.producers) {
    text += fmt::format("  producer {}: {}", near(m.place), lateness(m));
    if (!m.wait_place.empty()) text += fmt::format(", waited for at {}", near(m.wait_place));
    if (!m.use_place.empty()) text += fmt::format(", first read at {}", near(m.use_place));
    text += fmt::format("\n    {}\n", advice(m));
  }
  for (const PipelineFreeWait& w : p.free_waits)
    text += fmt::format("  {} waits of {} cycles for a free buffer at {}\n", with_thousands(w.waits),
                        rounded(w.cycles), near(w.place));
  for (const std::string& note : p.notes) text += "  note: " + note + "\n";
  return text + "\n" + producers_text(p, width);
}

std::string stages_text(const PipelineReport& report, size_t width) {
  TextTable table({report.macro, ">Cycles", ">Change", ">Late Fills", ">Late By", ">Fill", ">Shared/Block",
                   ">Occupancy"});
  double first = 0;
  for (const PipelineStage& s : report.stages) {
    if (!s.failure.empty()) {
      table.row({std::to_string(s.stages), "-", "", "", "", "", "", s.failure});
      continue;
    }
    if (first == 0) first = static_cast<double>(s.cycles);
    const PipelineProducer& m = s.main;
    const double late =
        m.fills == 0 ? 0 : 100.0 * static_cast<double>(m.late_fills) / static_cast<double>(m.fills);
    table.row({std::to_string(s.stages), with_thousands(s.cycles),
               fmt::format("{:+.1f} %", 100 * (static_cast<double>(s.cycles) - first) / first),
               fmt::format("{:.0f} %", late), rounded(m.late), rounded(m.fill), rounded(s.shared_bytes),
               fmt::format("{:.0f} %", s.occupancy_pct)});
  }
  return table.str("    ", width);
}

}  // namespace

std::string pipeline_text(const PipelineReport& report, size_t width) {
  std::string text;
  for (const Pipeline& p : report.launches) text += launch_text(p, width) + "\n";
  if (!report.stages.empty()) text += stages_text(report, width);
  return text;
}

}  // namespace gpuloom::sim
