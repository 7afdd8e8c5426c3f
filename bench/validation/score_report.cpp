// SPDX-License-Identifier: Apache-2.0
// Scores as text, Markdown, CSV and JSON.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "bench/validation/score.h"
#include "bench/validation/score_targets.h"
#include "sim/report/csv.h"
#include "sim/report/table.h"

namespace gpuloom::validation {
namespace {

using Json = nlohmann::ordered_json;

const char* word(ScoreStatus status) {
  switch (status) {
    case ScoreStatus::kRan:
      return "ran";
    case ScoreStatus::kRefused:
      return "refused";
    case ScoreStatus::kFailed:
      return "failed";
    case ScoreStatus::kTimedOut:
      return "timed out";
  }
  return "";
}

std::string outputs_word(const ScoreCase& c) {
  if (c.status != ScoreStatus::kRan) return word(c.status);
  if (!c.outputs_equal) return "-";
  return *c.outputs_equal ? "equal" : "DIFFER";
}

std::string amount(const std::optional<double>& value) {
  if (!value) return "";
  return std::floor(*value) == *value ? with_thousands(static_cast<uint64_t>(*value))
                                      : fmt::format("{:.1f}", *value);
}

std::string error_text(const ScoreValue& v) {
  if (!v.comparable()) return "";
  const std::optional<double> error = v.error_pct();
  if (!error) return "0!";  // silicon has none
  return *error == 0 ? "=" : fmt::format("{:+.1f}", *error);
}

// Metrics whose error gets a column of its own in the table of cases.
constexpr std::string_view kColumns[] = {"active_cycles",     "instructions",    "conflicts",
                                         "shared_wavefronts", "l1_load_sectors", "l2_sectors",
                                         "dram_bytes",        "registers",       "occupancy"};

TextTable case_table(const std::vector<ScoreCase>& cases, bool with_time) {
  std::vector<std::string> head = {"Case", "Outputs", ">Cycles", ">Silicon", ">Error %", ">Spread %"};
  for (const std::string_view id : kColumns) head.push_back(">" + std::string(id) + " %");
  if (with_time) head.emplace_back(">Host s");
  TextTable table(std::move(head));
  for (const ScoreCase& c : sorted_by_error(cases)) {
    std::vector<std::string> row = {c.name, outputs_word(c)};
    if (!c.values.empty()) {
      const ScoreValue& cycles = c.values[0];
      row.insert(row.end(), {amount(cycles.simulated), amount(cycles.silicon), error_text(cycles),
                             fmt::format("{:.1f}", c.spread_pct)});
      for (const std::string_view id : kColumns) row.push_back(error_text(c.values[score_metric_index(id)]));
    }
    row.resize(6 + std::size(kColumns));
    if (with_time) row.push_back(fmt::format("{:.1f}", c.seconds));
    table.row(std::move(row));
  }
  return table;
}

TextTable totals_table(const std::vector<ScoreCase>& cases) {
  TextTable table({"Metric", "What", ">Cases", ">Exact", ">Within", ">Target %", ">MAPE %", ">Corr. of logs",
                   ">Worst %", "Worst case", ">Not 0"});
  const std::vector<ScoreTotal> totals = score_totals(cases);
  for (size_t i = 0; i < totals.size(); ++i) {
    const ScoreTotal& t = totals[i];
    if (t.compared == 0) continue;
    table.row({std::string(t.id), std::string(score_metrics()[i].description), std::to_string(t.compared),
               std::to_string(t.exact), std::to_string(t.within),
               fmt::format("{:g}", score_metrics()[i].target_pct), fmt::format("{:.2f}", t.mape),
               fmt::format("{:.4f}", t.correlation), fmt::format("{:+.1f}", t.worst), t.worst_case,
               std::to_string(t.spurious)});
  }
  return table;
}

TextTable targets_table(const std::vector<ScoreCase>& cases) {
  TextTable table({"", "What", ">Target", ">Reached", ">Cases", "Short of it, worst first"});
  for (const ScoreTarget& t : score_targets(cases))
    table.row({t.met ? "pass" : "FAIL", t.what, t.target, t.reached, std::to_string(t.cases), t.worst});
  return table;
}

std::string summary_line(const std::vector<ScoreCase>& cases) {
  size_t ran = 0, equal = 0, comparable = 0, refused = 0, failed = 0;
  for (const ScoreCase& c : cases) {
    ran += c.status == ScoreStatus::kRan;
    refused += c.status == ScoreStatus::kRefused;
    failed += c.status == ScoreStatus::kFailed || c.status == ScoreStatus::kTimedOut;
    comparable += c.outputs_equal.has_value();
    equal += c.outputs_equal.value_or(false);
  }
  return fmt::format(
      "{} cases: {} ran, {} refused, {} failed; outputs equal on {} of {} with known outputs\n", cases.size(),
      ran, refused, failed, equal, comparable);
}

std::string problems(const std::vector<ScoreCase>& cases) {
  std::string out;
  for (const ScoreCase& c : cases) {
    if (c.status != ScoreStatus::kRan) out += fmt::format("{} {}: {}\n", word(c.status), c.name, c.message);
    if (c.outputs_equal && !*c.outputs_equal)
      out += fmt::format("outputs of {} differ: {}\n", c.name, c.different);
  }
  return out;
}

constexpr const char* kClassNames[kOpcodeClasses] = {"memory", "integer", "float", "control"};

// The members of a case that are words, by their name in the file.
template <class Case>
auto words(Case& c) {
  return std::array<std::pair<const char*, decltype(&c.name)>, 5>{
      {{"limiter_silicon", &c.limiter_silicon},
       {"limiter_simulated", &c.limiter_simulated},
       {"stall_silicon", &c.stall_silicon},
       {"stall_silicon_second", &c.stall_silicon_second},
       {"stall_simulated", &c.stall_simulated}}};
}

void facts_json(const ScoreCase& c, Json& entry) {
  for (const auto& [name, value] : words(c))
    if (!value->empty()) entry[name] = *value;
  for (size_t i = 0; i < kOpcodeClasses; ++i)
    if (c.classes[i].comparable())
      entry["classes"][kClassNames[i]] = {{"silicon", *c.classes[i].silicon},
                                          {"simulated", *c.classes[i].simulated}};
}

void parse_facts(const Json& entry, ScoreCase& c) {
  for (const auto& [name, value] : words(c)) *value = entry.value(name, std::string());
  if (!entry.contains("classes")) return;
  for (size_t i = 0; i < kOpcodeClasses; ++i) {
    const Json& v = entry.at("classes").at(kClassNames[i]);
    c.classes[i] = {v.at("silicon").get<double>(), v.at("simulated").get<double>()};
  }
}

Json optional_number(const std::optional<double>& v) { return v ? Json(*v) : Json(nullptr); }

Json value_json(const ScoreValue& v) {
  Json entry = {{"silicon", optional_number(v.silicon)}, {"simulated", optional_number(v.simulated)}};
  if (v.varies()) entry["least"] = *v.least, entry["most"] = *v.most;
  return entry;
}

void parse_value(const Json& entry, ScoreValue& v) {
  const auto read = [&](const char* name, std::optional<double>& into) {
    if (entry.contains(name) && !entry.at(name).is_null()) into = entry.at(name).get<double>();
  };
  read("silicon", v.silicon);
  read("simulated", v.simulated);
  read("least", v.least);
  read("most", v.most);
}

}  // namespace

std::string score_opcodes(const std::vector<ScoreCase>& cases) {
  TextTable table({"Case", "Opcode", ">gpuloom", ">Silicon", ">Difference", ">% of all"});
  std::map<std::string, ScoreValue> sums;
  const auto rows = [&](const std::string& name, const std::map<std::string, ScoreValue>& opcodes,
                        size_t most) {
    double all = 0;
    std::vector<std::pair<double, std::string>> order;
    for (const auto& [opcode, v] : opcodes) {
      all += v.silicon.value_or(0);
      const double difference = v.simulated.value_or(0) - v.silicon.value_or(0);
      if (difference != 0) order.emplace_back(-std::fabs(difference), opcode);
    }
    std::sort(order.begin(), order.end());
    for (size_t i = 0; i < std::min(order.size(), most); ++i) {
      const ScoreValue& v = opcodes.at(order[i].second);
      const double difference = v.simulated.value_or(0) - v.silicon.value_or(0);
      table.row({name, order[i].second, amount(v.simulated.value_or(0)), amount(v.silicon.value_or(0)),
                 fmt::format("{:+.0f}", difference),
                 all == 0 ? "" : fmt::format("{:+.1f}", difference / all * 100)});
    }
  };
  for (const ScoreCase& c : cases) {
    rows(c.name, c.opcodes, 8);
    for (const auto& [opcode, v] : c.opcodes) {
      sums[opcode].silicon = sums[opcode].silicon.value_or(0) + v.silicon.value_or(0);
      sums[opcode].simulated = sums[opcode].simulated.value_or(0) + v.simulated.value_or(0);
    }
  }
  rows("all", sums, 30);
  return table.str();
}

std::string score_text(const std::vector<ScoreCase>& cases) {
  return case_table(cases, true).str() + "\n" + totals_table(cases).str() + "\n" +
         targets_table(cases).str() + "\n" + problems(cases) + summary_line(cases);
}

std::string score_targets_text(const std::vector<ScoreCase>& cases) {
  return targets_table(cases).str() + "\n" + problems(cases) + summary_line(cases);
}

std::string score_markdown(const std::vector<ScoreCase>& cases, const std::string& title) {
  std::string out = "# " + title +
                    "\n\nWritten by `scripts/score`; do not edit. Errors are percent of silicon's value: "
                    "`=` none, `0!` silicon counts none and gpuloom some.\n\n" +
                    summary_line(cases) + "\n";
  out +=
      "## Targets\n\nKernel cases are all but the probes (`lat_*`, `rate_*`); a target is met by the share "
      "of cases that it names. Counts of shared memory that differ between launches of the GPU "
      "(launches.csv) may lie within the launches' range or 3 % of the recorded one; their bank "
      "conflicts "
      "are judged in percent of the wavefronts, of which they are a small part that arbitration decides. A "
      "probe's value on silicon is the nearest of those that a tenth or more of its launches read, plainly "
      "or "
      "with flushed caches (probe_launches.csv): some have more than one.\n\n";
  out += targets_table(cases).markdown() + "\n## Metrics\n\n" + totals_table(cases).markdown() +
         "\n## Cases\n\n" + case_table(cases, false).markdown();
  const std::string wrong = problems(cases);
  if (!wrong.empty()) out += "\n```\n" + wrong + "```\n";
  return out;
}

std::string score_csv(const std::vector<ScoreCase>& cases) {
  std::string out = csv_line({"case", "status", "outputs", "metric", "silicon", "simulated", "error_pct"});
  for (const ScoreCase& c : cases) {
    if (c.values.empty()) out += csv_line({c.name, word(c.status), outputs_word(c), "", "", "", ""});
    for (size_t i = 0; i < c.values.size(); ++i) {
      const ScoreValue& v = c.values[i];
      if (!v.comparable()) continue;
      const std::optional<double> error = v.error_pct();
      out += csv_line({c.name, word(c.status), outputs_word(c), std::string(score_metrics()[i].id),
                       format_number(*v.silicon), format_number(*v.simulated),
                       error ? format_number(*error) : ""});
    }
  }
  return out;
}

std::string score_json(const std::vector<ScoreCase>& cases) {
  Json j;
  Json& list = j["cases"] = Json::array();
  for (const ScoreCase& c : cases) {
    Json entry = {
        {"name", c.name}, {"status", word(c.status)}, {"spread_pct", c.spread_pct}, {"seconds", c.seconds}};
    if (!c.message.empty()) entry["message"] = c.message;
    if (c.outputs_equal) entry["outputs_equal"] = *c.outputs_equal;
    if (!c.different.empty()) entry["different"] = c.different;
    Json& metrics = entry["metrics"] = Json::object();
    for (size_t i = 0; i < c.values.size(); ++i)
      if (c.values[i].silicon || c.values[i].simulated)
        metrics[std::string(score_metrics()[i].id)] = value_json(c.values[i]);
    facts_json(c, entry);
    list.push_back(std::move(entry));
  }
  return j.dump(1) + "\n";
}

std::vector<ScoreCase> parse_score_json(std::string_view text, const std::string& file) {
  try {
    std::vector<ScoreCase> cases;
    const Json whole = Json::parse(text);
    for (const Json& entry : whole.at("cases")) {
      ScoreCase c;
      c.name = entry.at("name").get<std::string>();
      const auto status = entry.at("status").get<std::string>();
      for (const ScoreStatus s :
           {ScoreStatus::kRan, ScoreStatus::kRefused, ScoreStatus::kFailed, ScoreStatus::kTimedOut})
        if (status == word(s)) c.status = s;
      c.spread_pct = entry.value("spread_pct", 0.0);
      c.seconds = entry.value("seconds", 0.0);
      if (entry.contains("outputs_equal")) c.outputs_equal = entry.at("outputs_equal").get<bool>();
      c.values.resize(score_metrics().size());
      for (const auto& [id, v] : entry.at("metrics").items()) {
        const size_t index = score_metric_index(id);
        if (score_metrics()[index].id != id) continue;  // a metric of another version
        parse_value(v, c.values[index]);
      }
      parse_facts(entry, c);
      cases.push_back(std::move(c));
    }
    return cases;
  } catch (const nlohmann::json::exception& e) {
    throw Error(ErrorKind::kInput, std::string("not a score: ") + e.what(), {file, 0, 0});
  }
}

std::string score_comparison(const std::vector<ScoreCase>& old_cases,
                             const std::vector<ScoreCase>& new_cases) {
  TextTable totals({"Metric", ">MAPE % before", ">now", ">Exact before", ">now", ">Within before", ">now"});
  const std::vector<ScoreTotal> before = score_totals(old_cases), now = score_totals(new_cases);
  for (size_t i = 0; i < now.size(); ++i)
    if (before[i].compared + now[i].compared != 0)
      totals.row({std::string(now[i].id), fmt::format("{:.2f}", before[i].mape),
                  fmt::format("{:.2f}", now[i].mape), std::to_string(before[i].exact),
                  std::to_string(now[i].exact), std::to_string(before[i].within),
                  std::to_string(now[i].within)});
  TextTable changed({"Case", "Outputs before", "now", ">Cycle error % before", ">now"});
  for (const ScoreCase& c : sorted_by_error(new_cases)) {
    for (const ScoreCase& o : old_cases) {
      if (o.name != c.name) continue;
      const auto error = [](const ScoreCase& s) {
        return s.values.empty() ? std::nullopt : s.values[0].error_pct();
      };
      const std::optional<double> a = error(o), b = error(c);
      const bool moved = a.has_value() != b.has_value() || (a && std::fabs(*a - *b) > 1);
      if (moved || outputs_word(o) != outputs_word(c))
        changed.row({c.name, outputs_word(o), outputs_word(c), a ? fmt::format("{:+.1f}", *a) : "",
                     b ? fmt::format("{:+.1f}", *b) : ""});
    }
  }
  TextTable targets({"What", ">Target", ">Before", ">now", ""});
  const std::vector<ScoreTarget> first = score_targets(old_cases);
  for (const ScoreTarget& t : score_targets(new_cases)) {
    const auto o = std::find_if(first.begin(), first.end(), [&](const auto& f) { return f.what == t.what; });
    targets.row({t.what, t.target, o == first.end() ? "" : o->reached, t.reached, t.met ? "pass" : "FAIL"});
  }
  return totals.str() + "\n" + targets.str() +
         (changed.rows() == 0 ? "no case changed\n" : "\n" + changed.str());
}

}  // namespace gpuloom::validation
