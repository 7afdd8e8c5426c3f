// SPDX-License-Identifier: Apache-2.0
#include "sim/api/explain/explain.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>

#include "base/error.h"
#include "sim/api/explain/settings.h"
#include "sim/api/explain/switches.h"

namespace gpuloom::sim {
namespace {

double cycles_of(const ReportKernel& k) {
  const ReportMetric* m = k.find("sm__cycles_elapsed.max");
  return m == nullptr ? 0 : m->value;
}

// One kernel's view of all runs.
class KernelView {
 public:
  KernelView(const IdealRuns& runs, const ExplainSettings& settings, size_t index)
      : runs_(runs),
        settings_(settings),
        index_(index),
        kernel_(runs.result({})->kernels[index]),
        facts_(kernel_) {}

  const ExplainSettings& settings() const { return settings_; }
  const ReportKernel& kernel() const { return kernel_; }
  const Facts& facts() const { return facts_; }
  double cycles() const { return cycles_of(kernel_); }

  // Cycles with switches on, nothing where a run is missing.
  std::optional<double> cycles_with(const SwitchSet& keys) const {
    const ReportKernel* with = kernel_with(keys);
    return with == nullptr ? std::nullopt : std::optional(cycles_of(*with));
  }
  // The kernel with switches on; as it is where none of them can matter, null where a run is missing.
  const ReportKernel* kernel_with(const SwitchSet& keys) const {
    SwitchSet set;
    for (const std::string& key : keys)
      if (may_matter(ideal_switch(key), facts_)) set.insert(key);
    if (set.empty()) return &kernel_;
    // Another kernel of the launch may need all of them.
    const RunReport* run = runs_.result(set);
    if (run == nullptr) run = runs_.result(keys);
    return run == nullptr || index_ >= run->kernels.size() ? nullptr : &run->kernels[index_];
  }

  void learn_fact(const std::string& name, double value) { facts_.set(name, value); }
  void learn(const std::string& key) {
    if (const auto with = cycles_with({key}); with && cycles() > 0)
      facts_.set("switch." + key + ".pct", 100 * (cycles() - *with) / cycles());
  }

 private:
  const IdealRuns& runs_;
  const ExplainSettings& settings_;
  size_t index_;
  const ReportKernel& kernel_;
  Facts facts_;
};

std::vector<SwitchCost> switch_costs(const KernelView& view, const IdealRuns& runs) {
  std::vector<SwitchCost> costs;
  for (const IdealSwitch& s : ideal_switches()) {
    SwitchCost c;
    c.key = s.key;
    c.what = s.what;
    c.cycles = view.cycles();
    if (const auto failed = runs.failures().find({s.key}); failed != runs.failures().end())
      c.failure = failed->second;
    c.run = runs.result({s.key}) != nullptr && may_matter(s, view.facts());
    if (const auto with = view.cycles_with({s.key})) c.cycles = *with;
    c.saved = view.cycles() - c.cycles;
    c.saved_pct = view.cycles() == 0 ? 0 : 100 * c.saved / view.cycles();
    costs.push_back(std::move(c));
  }
  std::stable_sort(costs.begin(), costs.end(),
                   [](const SwitchCost& a, const SwitchCost& b) { return a.saved > b.saved; });
  return costs;
}

// What a line has of the counter that the advice blames it by.
double blamed(const Advice& advice, const ReportLine& line, const ReportKernel* with) {
  const double value = line_counter(line, advice.lines_by);
  if (!advice.lines_lost || with == nullptr) return value;
  for (const ReportLine& l : with->lines)
    if (l.ptx_line == line.ptx_line && l.file == line.file && l.operation == line.operation)
      return value - line_counter(l, advice.lines_by);
  return value;
}

bool speaks_of(const Advice& advice, const ReportLine& line) {
  const auto names = [&](const std::string& part) { return line.operation.find(part) != std::string::npos; };
  if (std::any_of(advice.other_than.begin(), advice.other_than.end(), names)) return false;
  return advice.operations.empty() || std::any_of(advice.operations.begin(), advice.operations.end(), names);
}

std::vector<FindingLine> lines_to_blame(const Advice& advice, const ReportKernel& kernel,
                                        const ReportKernel* with, size_t most) {
  if (advice.lines_by.empty()) return {};
  std::map<std::pair<std::string, uint32_t>, FindingLine> by_place;
  double total = 0;
  for (const ReportLine& l : kernel.lines) {
    if (!speaks_of(advice, l)) continue;
    const double value = blamed(advice, l, with);
    if (value <= 0) continue;
    total += value;
    FindingLine& line = by_place[{l.file, l.line}];
    if (line.value == 0 ||
        value > line.share_pct) {  // the instruction that has most of it stands for the line
      line.operation = l.operation;
      line.ptx_line = l.ptx_line;
      line.share_pct = value;
    }
    line.file = l.file;
    line.line = l.line;
    line.value += value;
  }
  std::vector<FindingLine> lines;
  for (auto& [place, line] : by_place) {
    line.share_pct = 100 * line.value / total;
    lines.push_back(line);
  }
  std::stable_sort(lines.begin(), lines.end(), [](const FindingLine& a, const FindingLine& b) {
    // What the compiler gives no line (0) cannot be pointed at.
    return (a.line != 0) != (b.line != 0) ? a.line != 0 : a.value > b.value;
  });
  if (lines.size() > most) lines.resize(most);
  return lines;
}

// What is measured is trusted as far as it exceeds what the model is off by on kernels of the kind.
std::string confidence(double saved_pct, double error_pct) {
  if (saved_pct >= 2 * error_pct) return "high";
  return saved_pct >= error_pct ? "medium" : "low";
}

// What advice says of a kernel whose counters meet its conditions; nothing without a run or a line to blame.
std::optional<Finding> finding_of(const Advice& advice, const KernelView& view) {
  if (!advice.fits(view.facts(), true)) return std::nullopt;
  const ReportKernel* with = view.kernel_with({advice.switches.begin(), advice.switches.end()});
  if (with == nullptr) return std::nullopt;
  Finding f;
  f.advice = &advice;
  f.saved = std::round(advice.share * (view.cycles() - cycles_of(*with)));
  f.cycles = view.cycles() - f.saved;
  f.saved_pct = view.cycles() == 0 ? 0 : 100 * f.saved / view.cycles();
  f.lines = lines_to_blame(advice, view.kernel(), with, view.settings().lines_shown);
  if (f.lines.empty() && !advice.lines_by.empty()) return std::nullopt;  // nothing that it speaks of
  for (const std::string& fact : advice.evidence)
    if (const auto value = view.facts().find(fact))
      f.evidence.push_back({fact, view.facts().unit(fact), *value});
  f.confidence = confidence(f.saved_pct, advice.error_pct);
  return f;
}

// A defect comes before limits of the machine. One that saves far less than what a limit takes is not what
// the kernel waits for, though it may be there.
bool comes_first(const Finding& f, double least) { return f.advice->defect && f.saved >= least; }

bool worth_it(const Finding& f) { return f.saved > 0 && f.saved_pct >= f.advice->least_pct; }

std::vector<Finding> findings_of(const std::vector<Advice>& all, const KernelView& view) {
  std::vector<Finding> findings;
  for (const Advice& advice : all)
    if (auto f = finding_of(advice, view); f && worth_it(*f)) findings.push_back(std::move(*f));
  double most = 0;
  for (const Finding& f : findings) most = std::max(most, f.saved);
  // Of the same saving, the one that asks for more.
  const double least = view.settings().least_of_limit * most;
  std::stable_sort(findings.begin(), findings.end(), [least](const Finding& a, const Finding& b) {
    if (comes_first(a, least) != comes_first(b, least)) return comes_first(a, least);
    if (a.saved != b.saved) return a.saved > b.saved;
    return a.advice->demands() > b.advice->demands();
  });
  return findings;
}

// A defect that is there and costs nothing now. Saying nothing of it would read as if it were not there: it
// may be the next thing to cost, once what hides it is gone. One that shares its switches with a finding is
// told there.
std::vector<Finding> seen_only(const std::vector<Advice>& all, const KernelView& view,
                               const std::vector<Finding>& findings) {
  std::vector<Finding> seen;
  for (const Advice& advice : all) {
    const auto same = [&](const Finding& f) { return f.advice->switches == advice.switches; };
    if (!advice.defect || advice.lines_by.empty() || std::any_of(findings.begin(), findings.end(), same) ||
        std::any_of(seen.begin(), seen.end(), same))
      continue;
    if (auto f = finding_of(advice, view); f && !worth_it(*f)) seen.push_back(std::move(*f));
  }
  return seen;
}

// Pairs of the strongest switches of any kernel.
std::vector<SwitchSet> pairs_to_run(const std::vector<KernelView>& views, const IdealRuns& runs,
                                    unsigned of) {
  std::vector<SwitchSet> pairs;
  for (const KernelView& view : views) {
    std::vector<std::string> strong;
    for (const SwitchCost& c : switch_costs(view, runs))
      if (c.run && c.saved_pct >= view.settings().pair_least_pct && strong.size() < of)
        strong.push_back(c.key);
    for (size_t i = 0; i < strong.size(); ++i)
      for (size_t j = i + 1; j < strong.size(); ++j) pairs.push_back({strong[i], strong[j]});
  }
  return pairs;
}

std::vector<PairCost> pair_costs(const KernelView& view, const std::vector<SwitchSet>& pairs) {
  std::vector<PairCost> costs;
  for (const SwitchSet& pair : pairs) {
    const std::string &first = *pair.begin(), &second = *std::next(pair.begin());
    const auto a = view.cycles_with({first}), b = view.cycles_with({second}), both = view.cycles_with(pair);
    if (!a || !b || !both) continue;
    if (std::any_of(costs.begin(), costs.end(),
                    [&](const PairCost& c) { return c.first == first && c.second == second; }))
      continue;
    PairCost c{first, second, *both, view.cycles() - *both, 2 * view.cycles() - *a - *b, "additive"};
    const double differs = 100 * (c.saved - c.sum) / std::max(1.0, view.cycles());
    if (differs > view.settings().additive_pct) c.effect = "super-additive";
    if (differs < -view.settings().additive_pct) c.effect = "sub-additive";
    costs.push_back(std::move(c));
  }
  return costs;
}

// Every switch that may matter to a kernel, and what advice asks for together.
std::vector<SwitchSet> sets_to_run(const std::vector<KernelView>& views, const std::vector<Advice>& advice,
                                   const std::vector<std::string>& only) {
  std::vector<SwitchSet> sets;
  const auto wanted = [&](const std::string& key) {
    return only.empty() || std::find(only.begin(), only.end(), key) != only.end();
  };
  for (const KernelView& view : views) {
    for (const IdealSwitch& s : ideal_switches())
      if (wanted(s.key) && may_matter(s, view.facts())) sets.push_back({s.key});
    for (const Advice& a : advice) {
      SwitchSet set;
      for (const std::string& key : a.switches)
        if (may_matter(ideal_switch(key), view.facts())) set.insert(key);
      if (set.size() > 1 && a.fits(view.facts(), false) && std::all_of(set.begin(), set.end(), wanted))
        sets.push_back(set);
    }
  }
  return sets;
}

// Switches change time alone. Where atomics of floating point meet in another order, sums may differ in bits.
void compare_outputs(const IdealRuns& runs, const std::vector<SwitchSet>& sets,
                     std::vector<std::string>& notes) {
  const RunReport& base = *runs.result({});
  for (const SwitchSet& set : sets) {
    const RunReport* run = runs.result(set);
    if (run == nullptr) continue;
    for (size_t i = 0; i < base.outputs.size() && i < run->outputs.size(); ++i)
      if (base.outputs[i].fnv1a64 != run->outputs[i].fnv1a64)
        notes.push_back(
            fmt::format("'{}' differs in its bits with {}: its value depends on the order of time",
                        base.outputs[i].name, *set.begin()));
  }
}

}  // namespace

Explanation explain(const LaunchFile& file, const ExplainOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  for (const std::string& key : options.only) ideal_switch(key);
  Explanation e;
  e.advice = load_advice();
  const ExplainSettings settings = load_explain_settings();
  IdealRuns runs(file, options.runs);
  runs.run({{}});
  e.base = *runs.result({});
  std::vector<KernelView> views;
  double bytes = 0;
  for (const BufferSpec& buffer : file.buffers) bytes += static_cast<double>(buffer.bytes());
  for (size_t k = 0; k < e.base.kernels.size(); ++k) {
    views.emplace_back(runs, settings, k);
    views.back().learn_fact("launch.buffer_bytes", bytes);
  }
  for (const Advice& a : e.advice)
    if (a.lines_lost) runs.want_lines({a.switches.begin(), a.switches.end()});
  std::vector<SwitchSet> sets = sets_to_run(views, e.advice, options.only);
  runs.run(sets);
  const std::vector<SwitchSet> pairs = pairs_to_run(views, runs, options.pair_of);
  runs.run(pairs);
  for (KernelView& view : views) {
    for (const IdealSwitch& s : ideal_switches()) view.learn(s.key);
    KernelExplanation k;
    k.name = view.kernel().name;
    k.cycles = view.cycles();
    k.stack = cpi_stack(view.kernel());
    k.switches = switch_costs(view, runs);
    k.pairs = pair_costs(view, pairs);
    k.findings = findings_of(e.advice, view);
    k.seen = seen_only(e.advice, view, k.findings);
    e.kernels.push_back(std::move(k));
  }
  sets.insert(sets.end(), pairs.begin(), pairs.end());
  compare_outputs(runs, sets, e.notes);
  for (const auto& [set, failure] : runs.failures())
    e.notes.push_back(fmt::format("with {} on, the run failed: {}", *set.begin(), failure));
  e.runs = runs.count();
  e.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return e;
}

}  // namespace gpuloom::sim
