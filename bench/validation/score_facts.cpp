// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/score_facts.h"

#include <algorithm>
#include <vector>

namespace gpuloom::validation {
namespace {

constexpr std::string_view kMemory[] = {"LDG",   "STG",    "LD",      "ST",   "LDS",   "STS",    "LDL",
                                        "STL",   "LDC",    "ULDC",    "LDSM", "STSM",  "LDGSTS", "ATOM",
                                        "ATOMG", "ATOMS",  "RED",     "REDG", "CCTL",  "TEX",    "SULD",
                                        "SUST",  "UBLKCP", "UBLKRED", "UTMA", "UBLKPF"};
constexpr std::string_view kFloat[] = {"FADD",   "FMUL", "FFMA", "FSETP", "FMNMX", "FSEL",  "FCHK",  "MUFU",
                                       "DADD",   "DMUL", "DFMA", "DSETP", "HADD2", "HMUL2", "HFMA2", "HSETP2",
                                       "HMNMX2", "F2F",  "F2FP", "F2I",   "I2F",   "I2FP",  "FRND",  "HMMA",
                                       "QMMA",   "IMMA", "BMMA", "DMMA",  "HGMMA", "IGMMA", "QGMMA", "WGMMA"};
constexpr std::string_view kControl[] = {
    "BRA",       "BRX",           "JMP",       "JMX",          "BSSY",         "BSYNC",     "BREAK",
    "BMOV",      "CALL",          "RET",       "EXIT",         "KILL",         "BPT",       "NOP",
    "YIELD",     "WARPSYNC",      "NANOSLEEP", "BAR",          "DEPBAR",       "MEMBAR",    "ERRBAR",
    "CGAERRBAR", "FENCE",         "UCGABAR",   "UCGABAR_ARV",  "UCGABAR_WAIT", "SYNCS",     "ELECT",
    "LDGDEPBAR", "ENDCOLLECTIVE", "ACQBULK",   "UTMACMDFLUSH", "WARPGROUP",    "USETMAXREG"};

bool listed(const auto& list, std::string_view opcode) {
  return std::find(std::begin(list), std::end(list), opcode) != std::end(list);
}

const std::pair<const char*, const char*> kLimits[] = {
    {"blocks", "launch__occupancy_limit_blocks"},
    {"registers", "launch__occupancy_limit_registers"},
    {"shared memory", "launch__occupancy_limit_shared_mem"},
    {"warps", "launch__occupancy_limit_warps"}};

// `value(column)` gives an optional number.
std::string limiter(const auto& value) {
  double least = 0;
  std::string names;
  for (const auto& [name, column] : kLimits) {
    const std::optional<double> v = value(column);
    if (!v) continue;
    if (names.empty() || *v < least) {
      names = name;
      least = *v;
    } else if (*v == least) {
      names += std::string("+") + name;
    }
  }
  return names;
}

constexpr std::string_view kStallPrefix = "smsp__average_warps_issue_stalled_";
constexpr std::string_view kStallSuffix = "_per_issue_active.ratio";

void add_reason(std::vector<std::pair<double, std::string>>& reasons, std::string_view name, double value) {
  if (!name.starts_with(kStallPrefix) || !name.ends_with(kStallSuffix)) return;
  name.remove_prefix(kStallPrefix.size());
  name.remove_suffix(kStallSuffix.size());
  if (name != "selected" && value > 0) reasons.emplace_back(-value, name);
}

}  // namespace

OpcodeClass opcode_class(std::string_view opcode) {
  const std::string_view base = opcode.substr(0, opcode.find_first_of("./"));
  if (listed(kMemory, base) || base.starts_with("UTMA")) return OpcodeClass::kMemory;
  if (listed(kControl, base)) return OpcodeClass::kControl;
  if (listed(kFloat, base)) return OpcodeClass::kFloat;
  return OpcodeClass::kInteger;
}

std::array<ScoreValue, kOpcodeClasses> class_values(const SiliconCase& silicon, const ReportKernel* kernel) {
  std::array<ScoreValue, kOpcodeClasses> values;
  if (kernel == nullptr || kernel->opcodes.empty() || silicon.opcodes.empty()) return values;
  for (ScoreValue& v : values) v.silicon = v.simulated = 0;
  for (const auto& [opcode, count] : silicon.opcodes)
    *values[static_cast<size_t>(opcode_class(opcode))].silicon += count;
  for (const auto& [opcode, count] : kernel->opcodes)
    *values[static_cast<size_t>(opcode_class(opcode))].simulated += static_cast<double>(count);
  return values;
}

LimiterPair limiters(const SiliconCase& silicon, const ReportKernel* kernel) {
  LimiterPair pair;
  pair.silicon = limiter([&](std::string_view column) -> std::optional<double> {
    const auto at = silicon.metrics.find(column);
    return at == silicon.metrics.end() ? std::nullopt : std::optional(at->second);
  });
  pair.simulated = limiter([&](std::string_view metric) -> std::optional<double> {
    const ReportMetric* found = kernel == nullptr ? nullptr : kernel->find(metric);
    return found == nullptr ? std::nullopt : std::optional(found->value);
  });
  return pair;
}

StallPair main_stalls(const SiliconCase& silicon, const ReportKernel* kernel) {
  std::vector<std::pair<double, std::string>> theirs, ours;
  for (const auto& [column, value] : silicon.metrics) add_reason(theirs, column, value);
  if (kernel != nullptr)
    for (const ReportMetric& m : kernel->metrics) add_reason(ours, m.name, m.value);
  std::sort(theirs.begin(), theirs.end());
  std::sort(ours.begin(), ours.end());
  StallPair pair;
  if (!theirs.empty()) pair.silicon_first = theirs[0].second;
  if (theirs.size() > 1) pair.silicon_second = theirs[1].second;
  if (!ours.empty()) pair.simulated = ours[0].second;
  return pair;
}

}  // namespace gpuloom::validation
