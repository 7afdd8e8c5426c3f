// SPDX-License-Identifier: Apache-2.0
#include "sim/report/program_report.h"

#include "sim/report/program_timeline.h"
#include "sim/report/result.h"
#include "sim/report/writers.h"
#include "tests/catch2.h"

using namespace gpuloom;
using Catch::Matchers::ContainsSubstring;

namespace {

ProgramWork work(WorkKind kind, double begin, double end) {
  ProgramWork w;
  w.kind = kind;
  w.name = kind == WorkKind::kKernel ? "scale" : "a";
  w.stream = "one";
  w.begin_ns = begin;
  w.end_ns = end;
  w.bytes = kind == WorkKind::kKernel ? 0 : 4096;
  w.done = true;
  return w;
}

ReportProgram program() {
  ReportProgram p;
  p.work = {work(WorkKind::kToDevice, 0, 100), work(WorkKind::kKernel, 50, 150),
            work(WorkKind::kKernel, 120, 200), work(WorkKind::kFill, 300, 350)};
  p.end_ns = 400;
  return p;
}

}  // namespace

TEST_CASE("What overlaps is counted once, and idle time is what is left", "[report][program]") {
  const ProgramTimes t = program_times(program().work, 400);
  CHECK(t.total == 400);
  CHECK(t.kernels == 150);
  CHECK(t.copies == 150);
  CHECK(t.both == 50);
  CHECK(t.several == 30);
  CHECK(t.idle() == 150);
  CHECK(t.overlap_pct() == Approx(100.0 / 3));
}

TEST_CASE("Work that was never carried out has no time", "[report][program]") {
  ReportProgram p = program();
  p.work.push_back(work(WorkKind::kKernel, 0, 0));
  p.work.back().done = false;
  CHECK(program_times(p.work, 400).kernels == 150);
  CHECK(program_spans(p).size() == 8);
}

TEST_CASE("A program's result reads back as it was written", "[report][program]") {
  RunReport run;
  run.program = program();
  run.program->events.push_back({"there", 120});
  run.program->work[1].shared_with = {2};
  const std::string text = result_json(run);
  CHECK(result_json(parse_result_json(text, "result.json")) == text);
  CHECK_THAT(text, ContainsSubstring("program__overlap.pct"));
}

TEST_CASE("The summary has time by kernel and copy, overlap and idle time", "[report][program]") {
  const std::string text = program_text(program());
  CHECK_THAT(text, ContainsSubstring("scale") && ContainsSubstring("host to device") &&
                       ContainsSubstring("memset") && ContainsSubstring("33.3 % overlapped") &&
                       ContainsSubstring("idle 0.15 us (37.5 %)"));
}
