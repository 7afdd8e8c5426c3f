// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>
#include <filesystem>

#include "base/demangle.h"
#include "base/text.h"
#include "sim/api/explain/explain.h"
#include "sim/report/table.h"
#include "sim/report/writers.h"

namespace gpuloom::sim {
namespace {

constexpr double kShownPct = 1;  // switches and parts of the stack that are smaller are left out

std::string whole(double value) {
  return (value < 0 ? "-" : "") + with_thousands(static_cast<uint64_t>(std::llround(std::fabs(value))));
}

std::string percent(double value) { return fmt::format("{:.{}f} %", value, std::fabs(value) < 9.95 ? 1 : 0); }

std::string place(const FindingLine& line) {
  return fmt::format("{}:{}", std::filesystem::path(line.file).filename().string(), line.line);
}

std::string described(const Finding& f, size_t number, const KernelExplanation& k) {
  std::string text = fmt::format("  {}. {}\n", number, finding_sentence(f, k));
  std::string facts;
  for (const Evidence& e : f.evidence)
    facts += fmt::format("{}{} {}", facts.empty() ? "" : ", ", e.fact, show_value(e.value, e.unit));
  if (!facts.empty()) text += "       evidence    " + facts + "\n";
  std::string lines;
  for (const FindingLine& l : f.lines)
    lines +=
        fmt::format("{}{} {} ({})", lines.empty() ? "" : ", ", place(l), l.operation, percent(l.share_pct));
  if (!lines.empty()) text += "       lines       " + lines + "\n";
  text += fmt::format("       confidence  {}: the model is {} off on such kernels ({})\n", f.confidence,
                      percent(f.advice->error_pct), f.advice->error_source);
  text += "       check       " + f.advice->check + "\n";
  text += "       source      " + f.advice->source + "\n";
  return text;
}

std::string stack_text(const CpiStack& stack, size_t width) {
  TextTable table({"CPI Stack", ">Cycles", ">Share", ">Per Instruction"});
  double left = 0;
  for (const CpiPart& p : stack.parts) {
    const double share = stack.cycles == 0 ? 0 : 100 * p.cycles / stack.cycles;
    if (share < kShownPct)
      left += p.cycles;
    else
      table.row({p.name, whole(p.cycles), percent(share), fmt::format("{:.2f}", p.per_inst)});
  }
  if (left > 0) table.row({"others", whole(left), percent(100 * left / stack.cycles), ""});
  table.row({"all", whole(stack.cycles), "100 %", fmt::format("{:.2f}", stack.cpi)});
  return table.str("    ", width);
}

std::string switches_text(const KernelExplanation& k, size_t width) {
  TextTable table({"If It Cost Nothing", "Key", ">Cycles", ">Saved", ">Share"});
  for (const SwitchCost& c : k.switches)
    if (c.run && std::fabs(c.saved_pct) >= kShownPct)
      table.row({c.what, c.key, whole(c.cycles), whole(c.saved), percent(c.saved_pct)});
  for (const PairCost& p : k.pairs)
    if (p.effect != "additive")
      table.row({"both, " + p.effect, p.first + " " + p.second, whole(p.cycles), whole(p.saved),
                 percent(100 * p.saved / k.cycles)});
  return table.rows() == 0 ? "" : table.str("    ", width);
}

}  // namespace

std::string finding_sentence(const Finding& f, const KernelExplanation& k) {
  const std::string where = f.lines.empty() ? "in " + short_name(k.name) : "at " + place(f.lines[0]);
  return fmt::format("{} {} cost {} of {} cycles ({}): {}", f.advice->title, where, whole(f.saved),
                     whole(k.cycles), percent(f.saved_pct), f.advice->remedy);
}

std::string seen_sentence(const Finding& f, const KernelExplanation& k) {
  const std::string where = f.lines.empty() ? "in " + short_name(k.name) : "at " + place(f.lines[0]);
  return fmt::format("{} {}: {} cycles without, {} with. It may cost once other waits are gone: {}",
                     f.advice->title, where, whole(f.cycles), whole(k.cycles), f.advice->remedy);
}

std::string explain_text(const Explanation& e, size_t most, size_t width) {
  std::string text;
  for (const KernelExplanation& k : e.kernels) {
    text += fmt::format("{}: {} cycles\n\n", short_name(k.name), whole(k.cycles));
    if (k.findings.empty()) text += "  No known advice saves enough to be worth the change.\n";
    for (size_t i = 0; i < k.findings.size() && (most == 0 || i < most); ++i)
      text += described(k.findings[i], i + 1, k);
    if (most != 0 && k.findings.size() > most)
      text += fmt::format("  {} more: --all shows them\n", k.findings.size() - most);
    if (!k.seen.empty()) text += "\n  Seen in the counters, but saves too little on its own:\n";
    for (const Finding& f : k.seen) text += "    - " + seen_sentence(f, k) + "\n";
    if (const std::string table = switches_text(k, width); !table.empty()) text += "\n" + table;
    text += "\n" + stack_text(k.stack, width) + "\n";
  }
  for (const std::string& note : e.notes) text += "note: " + note + "\n";
  return text;
}

}  // namespace gpuloom::sim
