// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/check/findings.h"

#include "base/demangle.h"
#include "ptx/exec/fault.h"

namespace gpuloom::ptx {

const char* name(FindingKind kind) {
  switch (kind) {
    case FindingKind::kUninitialised:
      return "uninitialised";
    case FindingKind::kRace:
      return "race";
    case FindingKind::kConflict:
      return "conflict";
  }
  return "";
}

std::string Finding::text() const {
  std::string out = file + ":" + std::to_string(position.line) + ":" + std::to_string(position.column) + ": ";
  if (!source.empty()) out += "(" + source + ") ";
  out += "kernel '" + short_name(kernel) + "': " + message;
  if (count > 1) out += " (" + std::to_string(count) + " times)";
  return out + calls;
}

bool Findings::count(FindingKind kind, const Program& program, uint32_t pc, uint32_t other) {
  const auto [at, added] = known_.try_emplace({kind, pc, other}, all_.size());
  if (!added) {
    ++all_[at->second].count;
    return false;
  }
  Finding finding;
  finding.kind = kind;
  finding.kernel = program.name;
  finding.count = 1;
  newest_ = all_.size();
  all_.push_back(std::move(finding));
  return true;
}

void Findings::message(const Warp& w, uint32_t pc, std::string text) {
  const Program& program = *w.program;
  Finding& finding = all_[newest_];
  if (program.module != nullptr) finding.file = program.module->file_name;
  const uint32_t source = program.code[pc].source;
  if (source < program.sources.size()) finding.position = program.sources[source].position;
  finding.source = source_name(program, pc);
  finding.message = std::move(text);
  finding.calls = call_stack(w, w.code[pc]);
}

}  // namespace gpuloom::ptx
