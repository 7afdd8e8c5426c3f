// SPDX-License-Identifier: Apache-2.0
// "Kanata" log, version 0004: lines in order of time; I declares an instruction, L gives it text, S and E
// begin and end a stage, R retires it, C lets cycles pass (documentation of the Konata viewer).
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "traces/writers.h"

namespace gpuloom::traces {
namespace {

struct Line {
  uint64_t cycle;
  uint64_t order;
  std::string text;
};

struct Instruction {
  uint64_t ready = 0, issue = 0, done = 0;
  uint16_t warp = 0;
  uint32_t operation = 0;
  std::string waits;
};

// Issues with the waits before them.
std::vector<Instruction> instructions_of(const Timeline& t, const SmTimeline& sm) {
  std::vector<Instruction> all;
  std::map<uint16_t, Instruction> open;  // by warp: waits collected so far
  for (const Record& r : sm.records) {
    if (r.kind == RecordKind::kState) {
      Instruction& i = open[r.unit];
      if (i.waits.empty()) i.ready = r.begin;
      const std::string reason = r.reason < t.reasons.size() ? t.reasons[r.reason] : "?";
      i.waits += fmt::format("{}{} {}", i.waits.empty() ? "" : ", ", reason, r.end - r.begin);
    } else if (r.kind == RecordKind::kIssue) {
      Instruction i = open[r.unit];
      open.erase(r.unit);
      if (i.waits.empty()) i.ready = r.begin;
      i.issue = r.begin;
      i.done = std::max(r.end, r.begin + 1);
      i.warp = r.unit;
      i.operation = r.a;
      all.push_back(std::move(i));
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Instruction& x, const Instruction& y) { return x.ready < y.ready; });
  return all;
}

}  // namespace

std::string konata_log(const Timeline& t, const SmTimeline& sm) {
  std::vector<Line> lines;
  const auto add = [&](uint64_t cycle, std::string text) {
    lines.push_back({cycle, lines.size(), std::move(text)});
  };
  uint64_t id = 0, retired = 0;
  for (const Instruction& i : instructions_of(t, sm)) {
    add(i.ready, fmt::format("I\t{}\t{}\t{}", id, id, i.warp));
    add(i.ready, fmt::format("L\t{}\t0\tw{}: {}", id, i.warp,
                             i.operation < t.operations.size() ? t.operation(i.operation) : "?"));
    if (!i.waits.empty()) add(i.ready, fmt::format("L\t{}\t1\t{}", id, i.waits));
    if (i.ready < i.issue) {
      add(i.ready, fmt::format("S\t{}\t0\tW", id));
      add(i.issue, fmt::format("E\t{}\t0\tW", id));
    }
    add(i.issue, fmt::format("S\t{}\t0\tI", id));
    add(i.issue + 1, fmt::format("E\t{}\t0\tI", id));
    if (i.done > i.issue + 1) {
      add(i.issue + 1, fmt::format("S\t{}\t0\tX", id));
      add(i.done, fmt::format("E\t{}\t0\tX", id));
    }
    add(i.done, fmt::format("R\t{}\t{}\t0", id, retired++));
    ++id;
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& x, const Line& y) { return x.cycle < y.cycle; });
  std::string out = "Kanata\t0004\n";
  uint64_t now = lines.empty() ? 0 : lines.front().cycle;
  fmt::format_to(std::back_inserter(out), "C=\t{}\n", now);
  for (const Line& line : lines) {
    if (line.cycle != now) fmt::format_to(std::back_inserter(out), "C\t{}\n", line.cycle - now);
    now = line.cycle;
    out += line.text;
    out += '\n';
  }
  return out;
}

}  // namespace gpuloom::traces
