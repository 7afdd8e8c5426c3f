// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/score_targets.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace gpuloom::validation {
namespace {

using Cases = std::vector<const ScoreCase*>;
constexpr size_t kNamed = 6;  // cases that a line names

Cases kernel_cases(const std::vector<ScoreCase>& all) {
  Cases cases;
  for (const ScoreCase& c : all)
    if (c.status == ScoreStatus::kRan && c.kind == CaseClass::kKernel && !c.values.empty())
      cases.push_back(&c);
  return cases;
}

const ScoreValue& value(const ScoreCase& c, std::string_view id) { return c.values[score_metric_index(id)]; }

// How far off a case is: 0 is right; nothing where it cannot be judged. Infinite where silicon has 0 and we
// have not.
using Distance = std::function<std::optional<double>(const ScoreCase&)>;

std::optional<double> percent_off(const ScoreValue& v) {
  if (!v.comparable()) return std::nullopt;
  return v.error_pct().value_or(HUGE_VAL);
}

Distance metric(std::string_view id) {
  return [id](const ScoreCase& c) { return percent_off(value(c, id)); };
}

// Counts of shared memory. What the silicon itself counts anew in each launch may be anywhere in its range;
// its bank conflicts, tens among a hundred thousand wavefronts, are judged in percent of the wavefronts.
std::optional<double> shared_off(const ScoreCase& c, std::string_view id) {
  const ScoreValue& v = value(c, id);
  if (!v.comparable() || !v.varies()) return percent_off(v);
  if (v.in_range()) return 0.0;
  const ScoreValue& wavefronts = value(c, "shared_wavefronts");
  if (!wavefronts.silicon || *wavefronts.silicon == 0) return percent_off(v);
  return 100 * (*v.simulated - *v.silicon) / *wavefronts.silicon;
}

std::optional<double> difference(const ScoreValue& v) {
  if (!v.comparable()) return std::nullopt;
  return *v.simulated - *v.silicon;
}

std::optional<double> l2_rate_difference(const ScoreCase& c) {
  const ScoreValue &sectors = value(c, "l2_sectors"), &hits = value(c, "l2_hits");
  if (!sectors.comparable() || !hits.comparable() || *sectors.silicon == 0 || *sectors.simulated == 0)
    return std::nullopt;
  return 100 * (*hits.simulated / *sectors.simulated - *hits.silicon / *sectors.silicon);
}

struct Measured {
  std::vector<std::pair<double, const ScoreCase*>> off;  // signed
  size_t within(double limit) const {
    return static_cast<size_t>(std::count_if(
        off.begin(), off.end(), [&](const auto& o) { return std::fabs(o.first) <= limit + 1e-9; }));
  }
  double share(double limit) const {
    return off.empty() ? 0 : 100.0 * static_cast<double>(within(limit)) / static_cast<double>(off.size());
  }
  double mean() const {
    double sum = 0;
    for (const auto& o : off) sum += std::fabs(o.first);
    return off.empty() ? 0 : sum / static_cast<double>(off.size());
  }
  double median() const {
    std::vector<double> sizes;
    for (const auto& o : off) sizes.push_back(std::fabs(o.first));
    std::sort(sizes.begin(), sizes.end());
    return sizes.empty() ? 0 : (sizes[(sizes.size() - 1) / 2] + sizes[sizes.size() / 2]) / 2;
  }
  double most() const {
    double most = 0;
    for (const auto& o : off) most = std::max(most, std::fabs(o.first));
    return most;
  }
  std::string beyond(double limit, const char* unit) const {
    auto sorted = off;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return std::fabs(a.first) > std::fabs(b.first); });
    std::string names;
    size_t named = 0;
    for (const auto& [distance, c] : sorted) {
      if (std::fabs(distance) <= limit + 1e-9) break;
      if (named++ == kNamed) return names + ", ...";
      names += (names.empty() ? "" : ", ") + c->name;
      names += std::isinf(distance) ? " 0!" : fmt::format(" {:+.1f}{}", distance, unit);
    }
    return names;
  }
};

Measured measured(const Cases& cases, const Distance& distance) {
  Measured m;
  for (const ScoreCase* c : cases)
    if (const std::optional<double> d = distance(*c)) m.off.emplace_back(*d, c);
  return m;
}

class Lines {
 public:
  // At least `share` percent of the cases lie within `limit`.
  void share(std::string what, const Cases& cases, const Distance& distance, double limit, double share,
             const char* unit = " %") {
    const Measured m = measured(cases, distance);
    const std::string of = share >= 100 ? "all" : fmt::format("{:g} %", share);
    const std::string target = limit == 0 ? of + " exact" : fmt::format("{} within {:g}{}", of, limit, unit);
    add(std::move(what), target, fmt::format("{:.1f} %", m.share(limit)), m.share(limit) >= share - 1e-9, m,
        limit, unit);
  }
  void at_most(std::string what, const Measured& m, double reached, double limit, double shown_beyond) {
    add(std::move(what), fmt::format("{:g} % or less", limit), fmt::format("{:.1f} %", reached),
        reached <= limit, m, shown_beyond, " %");
  }
  void add(std::string what, std::string target, std::string reached, bool met, const Measured& m,
           double beyond, const char* unit) {
    if (m.off.empty()) return;
    lines.push_back(
        {std::move(what), std::move(target), std::move(reached), met, m.off.size(), m.beyond(beyond, unit)});
  }
  std::vector<ScoreTarget> lines;
};

// Whether the two name the same limit; where several are smallest ("registers+warps"), one in common will do.
bool common_limiter(const std::string& a, const std::string& b) {
  for (size_t from = 0; from <= a.size();) {
    const size_t to = std::min(a.find('+', from), a.size());
    if (("+" + b + "+").find("+" + a.substr(from, to - from) + "+") != std::string::npos) return true;
    from = to + 1;
  }
  return false;
}

void instruction_target(const Cases& cases, Lines& out) {
  const Measured m = measured(cases, metric("instructions"));
  out.at_most("warp instructions, median error", m, m.median(), 3, HUGE_VAL);
  out.share("warp instructions", cases, metric("instructions"), 10, 90);
  constexpr const char* kNames[kOpcodeClasses] = {"memory", "integer", "float", "control"};
  for (size_t i = 0; i < kOpcodeClasses; ++i)
    out.share(
        std::string("opcode class ") + kNames[i], cases,
        [i](const ScoreCase& c) -> std::optional<double> {
          const ScoreValue& v = c.classes[i];
          if (!v.comparable()) return std::nullopt;
          // A class below 1 % of a case's instructions is a matter of how ptxas moves constants.
          const ScoreValue& all = value(c, "instructions");
          if (all.silicon && *v.silicon < *all.silicon / 100 && *v.simulated < *all.silicon / 100)
            return std::nullopt;
          return percent_off(v);
        },
        10, 80);
  out.share("registers per thread", cases, metric("registers"), 15, 85);
  out.share(
      "occupancy limiter equal", cases,
      [](const ScoreCase& c) -> std::optional<double> {
        if (c.limiter_silicon.empty() || c.limiter_simulated.empty()) return std::nullopt;
        return common_limiter(c.limiter_silicon, c.limiter_simulated) ? 0 : 1;
      },
      0, 90, "");
}

void cycles(const Cases& cases, const char* id, const std::string& name, Lines& out) {
  const Measured m = measured(cases, metric(id));
  out.at_most(name + ", mean error", m, m.mean(), 12, HUGE_VAL);
  out.share(name, cases, metric(id), 25, 90);
  out.at_most(name + ", worst case", m, m.most(), 50, 50);
  std::vector<ScoreCase> copies;
  for (const ScoreCase* c : cases) copies.push_back(*c);
  const double correlation = score_totals(copies)[score_metric_index(id)].correlation;
  out.add(name + ", correlation of logarithms", "0.99 or more", fmt::format("{:.4f}", correlation),
          correlation >= 0.99, m, HUGE_VAL, "");
}

// Exact where the silicon's launches agree, or where it was asked only once.
void shared_memory(const Cases& cases, Lines& out) {
  for (const auto& [id, name] :
       {std::pair{"shared_wavefronts", "shared wavefronts"}, {"conflicts", "bank conflicts"}}) {
    Cases fixed, varying, by_data;
    for (const ScoreCase* c : cases)
      (c->data_dependent ? by_data : value(*c, id).varies() ? varying : fixed).push_back(c);
    const Distance off = [id = id](const ScoreCase& c) { return shared_off(c, id); };
    out.share(std::string(name) + ", static patterns", fixed, off, 0, 100);
    out.share(std::string(name) + ", static patterns nearly", fixed, off, 3, 100);
    out.share(std::string(name) + ", differing between launches", varying, off, 3, 100);
    out.share(std::string(name) + ", data-dependent", by_data, off, 3, 100);
  }
}

void memory(const Cases& cases, Lines& out) {
  out.share("L1 sectors, loads", cases, metric("l1_load_sectors"), 5, 90);
  out.share("L1 sectors, stores", cases, metric("l1_store_sectors"), 5, 90);
  out.share("L2 sectors", cases, metric("l2_sectors"), 5, 90);
  out.share(
      "L1 hit rate", cases, [](const ScoreCase& c) { return difference(value(c, "l1_hit_rate")); }, 3, 90,
      " points");
  out.share("L2 hit rate", cases, l2_rate_difference, 3, 90, " points");
  out.share("DRAM read bytes", cases, metric("dram_read_bytes"), 5, 90);
  shared_memory(cases, out);
  out.share(
      "achieved occupancy", cases,
      [](const ScoreCase& c) { return difference(value(c, "achieved_occupancy")); }, 5, 90, " points");
}

// The main stall reason; the line of cases that fall short says both.
void stalls(const Cases& cases, Lines& out) {
  size_t judged = 0, right = 0;
  std::string wrong;
  for (const ScoreCase* c : cases) {
    if (c->stall_silicon.empty() || c->stall_simulated.empty()) continue;
    ++judged;
    if (c->stall_simulated == c->stall_silicon || c->stall_simulated == c->stall_silicon_second) {
      ++right;
      continue;
    }
    wrong += fmt::format("{}{} ({}, not {})", wrong.empty() ? "" : ", ", c->name, c->stall_simulated,
                         c->stall_silicon);
  }
  if (judged == 0) return;
  const double share = 100.0 * static_cast<double>(right) / static_cast<double>(judged);
  out.lines.push_back({"main stall reason is silicon's first or second", "80 %",
                       fmt::format("{:.1f} %", share), share >= 80, judged, wrong});
}

// Elapsed cycles of related cases, each divided by the first of its kind: what users compare.
void ratios(const Cases& cases, Lines& out) {
  const auto find = [&](const std::string& name) {
    const auto at = std::find_if(cases.begin(), cases.end(), [&](const auto* c) { return c->name == name; });
    return at == cases.end() || !value(**at, "cycles").comparable() ? nullptr : *at;
  };
  Measured m;
  for (const ScoreCase* c : cases) {
    if (c->ratio_to.empty() || !value(*c, "cycles").comparable()) continue;
    const ScoreCase* base = find(c->ratio_to);
    if (base == nullptr) continue;
    const ScoreValue &v = value(*c, "cycles"), &b = value(*base, "cycles");
    m.off.emplace_back(100 * ((*v.simulated / *b.simulated) / (*v.silicon / *b.silicon) - 1), c);
  }
  out.add("ratios between related cases", "all within 10 %", fmt::format("{:.1f} %", m.share(10)),
          m.share(10) >= 100, m, 10, " %");
}

}  // namespace

std::vector<ScoreTarget> score_targets(const std::vector<ScoreCase>& all) {
  const Cases cases = kernel_cases(all);
  Cases latencies, rates;
  for (const ScoreCase& c : all)
    if (c.status == ScoreStatus::kRan && c.kind != CaseClass::kKernel && !c.values.empty())
      (c.kind == CaseClass::kLatency ? latencies : rates).push_back(&c);
  Lines out;
  instruction_target(cases, out);
  cycles(cases, "cycles", "elapsed cycles", out);
  cycles(cases, "active_cycles", "active cycles", out);
  memory(cases, out);
  stalls(cases, out);
  out.share("probes of latency", latencies, metric("probe"), 5, 100);
  out.share("probes of rate", rates, metric("probe"), 5, 100);
  ratios(cases, out);
  return out.lines;
}

}  // namespace gpuloom::validation
