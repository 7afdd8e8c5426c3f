// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/api/explain/explain.h"

namespace gpuloom::sim {
namespace {

using Json = nlohmann::ordered_json;

// Version of the layout; a new one when a key changes its meaning or goes away.
constexpr int kExplainSchema = 1;

Json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (std::floor(value) == value && std::fabs(value) < 0x1p53) return static_cast<int64_t>(value);
  return value;
}

Json stack_json(const CpiStack& stack) {
  Json j = {{"cycles", number(stack.cycles)}, {"cpi", number(stack.cpi)}, {"parts", Json::array()}};
  for (const CpiPart& p : stack.parts)
    j["parts"].push_back({{"name", p.name},
                          {"cycles", number(p.cycles)},
                          {"pct", stack.cycles == 0 ? 0 : 100 * p.cycles / stack.cycles},
                          {"cycles_per_instruction", number(p.per_inst)}});
  return j;
}

Json switch_json(const SwitchCost& c) {
  Json j = {{"key", c.key},
            {"what", c.what},
            {"run", c.run},
            {"cycles", number(c.cycles)},
            {"saved", number(c.saved)},
            {"saved_pct", number(c.saved_pct)}};
  if (!c.failure.empty()) j["failure"] = c.failure;
  return j;
}

Json finding_json(const Finding& f, const KernelExplanation& k, const std::string& sentence) {
  const Advice& a = *f.advice;
  Json j = {{"id", a.id},
            {"kind", a.defect ? "defect" : "limit"},
            {"title", a.title},
            {"sentence", sentence},
            {"remedy", a.remedy},
            {"switches", a.switches},
            {"predicted_cycles", number(f.cycles)},
            {"saved", number(f.saved)},
            {"saved_pct", number(f.saved_pct)},
            {"speedup", f.cycles == 0 ? Json(nullptr) : number(k.cycles / f.cycles)}};
  Json& lines = j["lines"] = Json::array();
  for (const FindingLine& l : f.lines)
    lines.push_back({{"file", l.file},
                     {"line", l.line},
                     {"ptx_line", l.ptx_line},
                     {"ptx", l.operation},
                     {"counter", a.lines_by},
                     {"value", number(l.value)},
                     {"share_pct", number(l.share_pct)}});
  Json& evidence = j["evidence"] = Json::array();
  for (const Evidence& e : f.evidence)
    evidence.push_back({{"fact", e.fact}, {"value", number(e.value)}, {"unit", e.unit}});
  j["confidence"] = {
      {"level", f.confidence}, {"model_error_pct", number(a.error_pct)}, {"from", a.error_source}};
  j["check"] = a.check;
  j["source"] = a.source;
  return j;
}

}  // namespace

std::string explain_json(const Explanation& e) {
  Json j;
  j["schema"] = kExplainSchema;
  const ReportProvenance& p = e.base.provenance;
  j["provenance"] = {
      {"version", p.version},   {"config", p.config},         {"config_sha256", p.config_sha256},
      {"ptx", p.ptx},           {"ptx_sha256", p.ptx_sha256}, {"launch", p.launch},
      {"lowering", p.lowering}, {"sources", p.sources}};
  Json& kernels = j["kernels"] = Json::array();
  for (const KernelExplanation& k : e.kernels) {
    Json kernel = {{"name", k.name}, {"cycles", number(k.cycles)}, {"cpi_stack", stack_json(k.stack)}};
    Json& advice = kernel["advice"] = Json::array();
    for (const Finding& f : k.findings) advice.push_back(finding_json(f, k, finding_sentence(f, k)));
    Json& seen = kernel["seen"] = Json::array();
    for (const Finding& f : k.seen) seen.push_back(finding_json(f, k, seen_sentence(f, k)));
    Json& switches = kernel["switches"] = Json::array();
    for (const SwitchCost& c : k.switches) switches.push_back(switch_json(c));
    Json& pairs = kernel["pairs"] = Json::array();
    for (const PairCost& c : k.pairs)
      pairs.push_back({{"keys", {c.first, c.second}},
                       {"cycles", number(c.cycles)},
                       {"saved", number(c.saved)},
                       {"saved_apart", number(c.sum)},
                       {"effect", c.effect}});
    kernels.push_back(std::move(kernel));
  }
  if (!e.notes.empty()) j["notes"] = e.notes;
  j["host"] = {{"runs", e.runs}, {"wall_s", e.seconds}};
  return j.dump(1) + "\n";
}

}  // namespace gpuloom::sim
