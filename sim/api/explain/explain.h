// SPDX-License-Identifier: Apache-2.0
// Measured advice: a launch is run as it is and with mechanisms of the machine made ideal, and what each
// costs is matched with advice.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/api/explain/advice.h"
#include "sim/api/explain/cpi_stack.h"
#include "sim/api/explain/measure.h"

namespace gpuloom::sim {

// What switches of `ideal` save, of one kernel. Negative where it takes longer with them.
struct SwitchCost {
  std::string key, what;
  double cycles = 0, saved = 0, saved_pct = 0;
  bool run = false;     // false: it cannot matter, or the run failed
  std::string failure;  // of the run
};

// Two switches together. super: they save more than the sum of both, since each hides the other.
struct PairCost {
  std::string first, second;
  double cycles = 0, saved = 0, sum = 0;  // sum: of what each saves alone
  std::string effect;                     // "super-additive", "sub-additive", "additive"
};

struct FindingLine {
  std::string file, operation;
  uint32_t line = 0, ptx_line = 0;
  double value = 0, share_pct = 0;  // of the counter that blames it
};

struct Evidence {
  std::string fact, unit;
  double value = 0;
};

struct Finding {
  const Advice* advice = nullptr;               // in Explanation::advice, which must live as long
  double cycles = 0, saved = 0, saved_pct = 0;  // with the advice's switches on
  std::vector<FindingLine> lines;               // the one to blame first
  std::vector<Evidence> evidence;
  std::string confidence;  // "high", "medium", "low"
};

struct KernelExplanation {
  std::string name;  // as in result.json
  double cycles = 0;
  CpiStack stack;
  std::vector<SwitchCost> switches;  // those that save most first
  std::vector<PairCost> pairs;
  std::vector<Finding> findings;  // most important first
  // Defects that the counters show and whose removal alone saves too little: something else is waited for.
  std::vector<Finding> seen;
};

struct Explanation {
  std::vector<Advice> advice;  // that findings point to
  RunReport base;
  std::vector<KernelExplanation> kernels;  // a launch each
  std::vector<std::string> notes;
  size_t runs = 0;
  double seconds = 0;
};

struct ExplainOptions {
  IdealRuns::Options runs;
  unsigned pair_of = 3;           // pairs among so many of the strongest switches
  std::vector<std::string> only;  // switches to try; empty: all that may matter
};

Explanation explain(const LaunchFile& file, const ExplainOptions& options);

// explain.json.
std::string explain_json(const Explanation& e);
// For people; `most` findings a kernel, 0 for all.
std::string explain_text(const Explanation& e, size_t most, size_t width);
// "bank conflicts at transpose.cu:14 cost 6,900 of 14,762 cycles (47 %): pad ..."
std::string finding_sentence(const Finding& finding, const KernelExplanation& kernel);
// "uncoalesced accesses at gemv.cu:6: 18,568 cycles without, 15,507 with. It may cost once ...: let ..."
std::string seen_sentence(const Finding& finding, const KernelExplanation& kernel);

}  // namespace gpuloom::sim
