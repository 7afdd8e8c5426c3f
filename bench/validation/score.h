// SPDX-License-Identifier: Apache-2.0
// How near the model is to silicon: cases run here beside what a GPU did with them (bench/silicon/README.md).
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/report/result.h"

namespace gpuloom::validation {

// One quantity that is compared.
struct ScoreMetric {
  std::string_view id;           // "cycles"
  std::string_view description;  // for the table of totals
  // Columns of metrics.csv and names in result.json; values of several add up.
  std::vector<std::string_view> silicon, simulated;
  double target_pct;  // an error up to this counts as within (README.md of bench/silicon)
};
const std::vector<ScoreMetric>& score_metrics();

// What silicon did, by case.
struct SiliconCase {
  std::map<std::string, double, std::less<>> metrics;    // columns of metrics.csv
  std::map<std::string, uint64_t, std::less<>> outputs;  // buffer -> hash
  std::map<std::string, double, std::less<>> opcodes;    // machine opcode with modifiers -> warp instructions
  std::optional<double> probe_cycles;                    // what the kernel read from its clock
  std::vector<double> probe_outcomes;                    // the same, of those launches that are not alone
  // Columns of metrics.csv that more launches of the case were asked for -> least and most of all launches.
  std::map<std::string, std::pair<double, double>, std::less<>> launches;
};
using SiliconTables = std::map<std::string, SiliconCase, std::less<>>;
// Reads what a GPU did with a suite: `suite`/`gpu`/metrics.csv and, where they are, outputs, opcodes, probes
// and launches, compressed or not. Throws Error (kInput).
SiliconTables load_silicon(const std::string& suite, const std::string& gpu = "h200");

struct ScoreValue {
  std::optional<double> silicon, simulated;
  // Where several launches of the silicon differ: the least and the most of them.
  std::optional<double> least{}, most{};
  // Percent of the silicon's value; nothing where one side is missing, or where silicon has 0 and we have
  // not.
  std::optional<double> error_pct() const;
  bool comparable() const { return silicon && simulated; }
  bool exact() const { return comparable() && *silicon == *simulated; }
  bool varies() const { return least && most; }
  bool in_range() const { return varies() && comparable() && *simulated >= *least && *simulated <= *most; }
};

enum class OpcodeClass : uint8_t { kMemory, kInteger, kFloat, kControl, kCount };
constexpr size_t kOpcodeClasses = static_cast<size_t>(OpcodeClass::kCount);

// What a case is for (suite.yaml, suite_manifest.h).
enum class CaseClass : uint8_t { kKernel, kLatency, kRate };

enum class ScoreStatus : uint8_t { kRan, kRefused, kFailed, kTimedOut };

struct ScoreCase {
  std::string name;
  CaseClass kind = CaseClass::kKernel;
  bool data_dependent = false;  // addresses in shared memory come from data
  std::string ratio_to;         // the related case whose cycles these are divided by, or empty
  ScoreStatus status = ScoreStatus::kRan;
  std::string message;                // why it did not run
  std::optional<bool> outputs_equal;  // nothing where the silicon's outputs depend on time
  std::string different;              // names of outputs that differ
  double spread_pct = 0;              // of the silicon itself, from run to run
  double seconds = 0;                 // of the host
  std::vector<ScoreValue> values;     // as score_metrics()
  // Of warp instructions; nothing where the run did not count by opcode.
  std::array<ScoreValue, kOpcodeClasses> classes;
  // What limits occupancy ("warps", "registers+warps") and the main stall reasons, on silicon the first two.
  std::string limiter_silicon, limiter_simulated;
  std::string stall_silicon, stall_silicon_second, stall_simulated;
  // Warp instructions by machine opcode without modifiers; only where the run counted them.
  std::map<std::string, ScoreValue> opcodes;
};

// Compares one case's result with the silicon's.
ScoreCase score_case(const std::string& name, const SiliconCase& silicon, const RunReport& run);

struct ScoreTotal {
  std::string_view id;
  size_t compared = 0, exact = 0, within = 0;
  size_t spurious = 0;     // silicon has 0 and we have not; not part of the mean
  double mape = 0;         // mean of |error| over the cases with an error, percent
  double correlation = 0;  // of the logarithms; 0 where fewer than three cases are above 0
  double worst = 0;        // percent, with its sign
  std::string worst_case;
};
std::vector<ScoreTotal> score_totals(const std::vector<ScoreCase>& cases);

// Index of a metric in score_metrics() and in ScoreCase::values; 0 (cycles) for an unknown one.
size_t score_metric_index(std::string_view id);

// Sorted by the error of cycles, worst first; cases that did not run on top.
std::vector<ScoreCase> sorted_by_error(std::vector<ScoreCase> cases);

// For each case and for all together, the opcodes that account for the difference in instructions, largest
// first.
std::string score_opcodes(const std::vector<ScoreCase>& cases);

// Writers. The Markdown page has no host times, so that it changes only with the model.
std::string score_text(const std::vector<ScoreCase>& cases);
std::string score_targets_text(const std::vector<ScoreCase>& cases);  // only the targets (score_targets.h)
std::string score_markdown(const std::vector<ScoreCase>& cases, const std::string& title);
std::string score_csv(const std::vector<ScoreCase>& cases);
std::string score_json(const std::vector<ScoreCase>& cases);
std::vector<ScoreCase> parse_score_json(std::string_view text, const std::string& file);
// Totals side by side, and the cases whose cycle error changed by more than a point or whose outputs changed.
std::string score_comparison(const std::vector<ScoreCase>& old_cases,
                             const std::vector<ScoreCase>& new_cases);

}  // namespace gpuloom::validation
