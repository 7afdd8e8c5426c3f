// SPDX-License-Identifier: Apache-2.0
#include "sim/report/compare.h"

#include <fmt/core.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/demangle.h"
#include "base/error.h"
#include "base/text.h"
#include "sim/report/metric_table.h"
#include "sim/report/table.h"
#include "sim/report/writers.h"

namespace gpuloom {
namespace {

bool fits(const std::string& name, const std::string& filter) {
  if (filter.find_first_of("*?") != std::string::npos) return fnmatch(filter.c_str(), name.c_str(), 0) == 0;
  const MetricInfo* info = find_metric(name);
  return name.find(filter) != std::string::npos ||
         (info != nullptr && info->label.find(filter) != std::string_view::npos);
}

}  // namespace

bool fits_any_filter(const std::string& name, const std::vector<std::string>& filters) {
  return filters.empty() || std::any_of(filters.begin(), filters.end(),
                                        [&](const std::string& filter) { return fits(name, filter); });
}

namespace {

constexpr double kNone = -1;  // a run has no such metric

// In percent of `base`; infinite from zero, kNone where a side is missing.
double change_of(const ReportMetric* base, const ReportMetric* other) {
  if (base == nullptr || other == nullptr) return kNone;
  if (base->value == other->value || (std::isnan(base->value) && std::isnan(other->value))) return 0;
  if (base->value == 0) return INFINITY;
  return 100 * std::fabs((other->value - base->value) / base->value);
}

std::string change_text(const ReportMetric* base, const ReportMetric* other) {
  if (base == nullptr) return other == nullptr ? "" : "only here";
  if (other == nullptr) return "missing";
  if (base->value == other->value) return "=";
  if (base->value == 0) return "from 0";
  return fmt::format("{:+.2f} %", 100 * (other->value - base->value) / base->value);
}

std::string value_text(const ReportMetric* m) { return m == nullptr ? "" : show_value(m->value, m->unit); }

struct Row {
  std::string name, unit;
  std::vector<const ReportMetric*> values;
  double change = 0;  // the largest
};

// Throws where a filter fits no metric of any run.
void check_filters(const std::vector<NamedRun>& runs, const std::vector<std::string>& filters) {
  for (const std::string& filter : filters) {
    const auto has = [&](const auto& kernel) {
      return std::any_of(kernel.metrics.begin(), kernel.metrics.end(),
                         [&](const ReportMetric& m) { return fits(m.name, filter); });
    };
    if (std::none_of(runs.begin(), runs.end(), [&](const NamedRun& n) {
          return std::any_of(n.run.kernels.begin(), n.run.kernels.end(), has);
        }))
      throw Error(ErrorKind::kUsage, "no metric fits '" + filter + "'", {}, "gpuloom metrics lists them");
  }
}

// The metrics of kernel `index` that a filter fits, in the order in which the runs have them.
std::vector<Row> rows_of(const std::vector<NamedRun>& runs, size_t index,
                         const std::vector<std::string>& filters) {
  std::vector<Row> rows;
  std::map<std::string, size_t> at;
  for (size_t r = 0; r < runs.size(); ++r) {
    if (index >= runs[r].run.kernels.size()) continue;
    for (const ReportMetric& m : runs[r].run.kernels[index].metrics) {
      if (!fits_any_filter(m.name, filters)) continue;
      const auto [place, fresh] = at.emplace(m.name, rows.size());
      if (fresh) rows.push_back({m.name, m.unit, std::vector<const ReportMetric*>(runs.size()), 0});
      rows[place->second].values[r] = &m;
    }
  }
  for (Row& row : rows)
    for (size_t r = 1; r < runs.size(); ++r) {
      const double change = change_of(row.values[0], row.values[r]);
      row.change = change == kNone || row.change == kNone ? kNone : std::max(row.change, change);
    }
  return rows;
}

std::string table_of(const std::vector<NamedRun>& runs, const std::vector<Row>& rows, size_t width) {
  std::vector<std::string> headings = {"Metric", "Unit", ">" + runs[0].name};
  const bool two = runs.size() == 2;
  for (size_t r = 1; r < runs.size(); ++r) headings.push_back(">" + runs[r].name);
  if (two) headings.emplace_back(">Change");
  TextTable table(headings);
  for (const Row& row : rows) {
    std::vector<std::string> cells = {row.name, row.unit, value_text(row.values[0])};
    for (size_t r = 1; r < runs.size(); ++r) {
      const std::string change = change_text(row.values[0], row.values[r]);
      const std::string value = value_text(row.values[r]);
      cells.push_back(two || value.empty() ? value : value + " (" + change + ")");
      if (two) cells.push_back(change);
    }
    table.row(std::move(cells));
  }
  return table.str("  ", width);
}

std::string kernel_table(const std::vector<NamedRun>& runs, size_t index, const CompareOptions& options) {
  std::vector<Row> rows = rows_of(runs, index, options.filters);
  size_t equal = 0, small = 0, missing = 0;
  if (!options.all) {
    std::erase_if(rows, [&](const Row& row) {
      equal += row.change == 0;
      missing += row.change == kNone && options.filters.empty();
      small += row.change > 0 && row.change < options.threshold_pct;
      return row.change < (options.filters.empty() ? 0 : kNone) || row.change == 0 ||
             (row.change == kNone && options.filters.empty()) ||
             (row.change > 0 && row.change < options.threshold_pct);
    });
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.change > b.change; });
  }
  std::string out = table_of(runs, rows, options.width);
  std::vector<std::string> left;
  if (small != 0) left.push_back(fmt::format("{} by less than {:g} %", small, options.threshold_pct));
  if (missing != 0) left.push_back(fmt::format("{} are not in every result", missing));
  if (equal != 0) left.push_back(fmt::format("{} are equal", equal));
  if (!left.empty()) out += "  not shown: " + join(left, ", ") + " (--all shows them)\n";
  return out;
}

// What the results say of their hardware: names, then the values that were changed, key by key.
std::string hardware_text(const std::vector<NamedRun>& runs) {
  std::map<std::string, std::vector<std::string>> keys;
  for (size_t r = 0; r < runs.size(); ++r)
    for (const ReportChange& change : runs[r].run.provenance.changes) {
      auto& values = keys[change.key];
      values.resize(runs.size());
      values[r] = change.to;
    }
  // "h200 + 1 change" was made from h200.
  const auto made_from = [](const NamedRun& n) {
    const std::string& name = n.run.provenance.config;
    return name.substr(0, name.find(" + "));
  };
  for (auto& [key, values] : keys)  // runs of the same GPU that left the value alone
    for (size_t r = 0; r < runs.size(); ++r)
      if (values[r].empty())
        for (const NamedRun& other : runs)
          for (const ReportChange& change : other.run.provenance.changes)
            if (change.key == key && values[r].empty() && made_from(other) == made_from(runs[r]))
              values[r] = change.from;
  std::string out;
  const std::string& first = runs[0].run.provenance.config;
  if (std::any_of(runs.begin(), runs.end(),
                  [&](const NamedRun& n) { return n.run.provenance.config != first; }))
    for (const NamedRun& n : runs) out += fmt::format("{}: {}\n", n.name, n.run.provenance.config);
  std::vector<std::string> headings = {"Configuration"};
  for (const NamedRun& n : runs) headings.push_back(">" + n.name);
  TextTable table(headings);
  for (const auto& [key, values] : keys) {
    if (std::all_of(values.begin(), values.end(), [&](const std::string& v) { return v == values[0]; }))
      continue;
    std::vector<std::string> cells = {key};
    cells.insert(cells.end(), values.begin(), values.end());
    table.row(std::move(cells));
  }
  if (table.rows() != 0) out += table.str("  ");
  return out.empty() ? out : out + "\n";
}

// Sums over the launches of a run; 0 where it has no such metric.
double total_of(const RunReport& run, const char* metric) {
  double sum = 0;
  for (const ReportKernel& k : run.kernels)
    if (const ReportMetric* m = k.find(metric); m != nullptr && std::isfinite(m->value)) sum += m->value;
  return sum;
}

std::string outputs_text(const RunReport& a, const RunReport& b) {
  std::vector<std::string> differ;
  size_t common = 0;
  for (const ReportBuffer& x : a.outputs)
    for (const ReportBuffer& y : b.outputs) {
      if (x.name != y.name) continue;
      ++common;
      if (x.fnv1a64 != y.fnv1a64) differ.push_back(x.name);
    }
  if (!differ.empty()) return "; outputs DIFFER: " + join(differ, ", ");
  return common == 0 ? "" : "; outputs equal";
}

std::string verdict(const NamedRun& a, const NamedRun& b) {
  struct Measure {
    const char *metric, *unit, *more, *less;
  };
  constexpr Measure kMeasures[] = {
      {"gpu__time_duration.sum", "ns", "slower", "faster"},
      {"sm__cycles_elapsed.max", "cycles", "slower", "faster"},
      {"smsp__inst_executed.sum", "warp instructions", "more work", "less work"},
      {"sim__ptx_inst_executed.sum", "PTX instructions", "more work", "less work"}};
  for (const Measure& m : kMeasures) {
    const double x = total_of(a.run, m.metric), y = total_of(b.run, m.metric);
    if (x <= 0 || y <= 0) continue;
    const std::string outputs = outputs_text(a.run, b.run);
    if (x == y)
      return fmt::format("verdict: {} equals {}: {} {}{}\n", b.name, a.name, with_thousands(y, 0), m.unit,
                         outputs);
    return fmt::format("verdict: {} is {:.2f} % {} than {}: {} against {} {}{}\n", b.name,
                       100 * std::fabs(y - x) / x, y > x ? m.more : m.less, a.name, with_thousands(y, 0),
                       with_thousands(x, 0), m.unit, outputs);
  }
  return "";
}

}  // namespace

std::string compare_text(const std::vector<NamedRun>& runs, const CompareOptions& options) {
  check_filters(runs, options.filters);
  std::string out = hardware_text(runs);
  size_t kernels = 0;
  for (const NamedRun& n : runs) kernels = std::max(kernels, n.run.kernels.size());
  for (size_t i = 0; i < kernels; ++i) {
    std::vector<std::string> names;
    for (const NamedRun& n : runs) {
      if (i >= n.run.kernels.size()) continue;
      std::string name = demangled(n.run.kernels[i].name);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
    out += fmt::format("launch {}: {}\n", i, join(names, " / "));
    out += kernel_table(runs, i, options) + "\n";
  }
  for (size_t r = 1; r < runs.size(); ++r) out += verdict(runs[0], runs[r]);
  return out;
}

}  // namespace gpuloom
