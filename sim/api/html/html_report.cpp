// SPDX-License-Identifier: Apache-2.0
#include "sim/api/html/html_report.h"

#include <fmt/core.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/demangle.h"
#include "base/error.h"
#include "base/version.h"
#include "sim/api/html/hardware.h"
#include "sim/api/html/intervals_page.h"
#include "sim/api/html/machine_listing.h"
#include "sim/api/html/source_texts.h"
#include "sim/api/html/sweep_page.h"
#include "sim/api/html/timeline_page.h"
#include "sim/api/metric_list.h"
#include "sim/report/html/page.h"
#include "sim/report/metric_table.h"

namespace gpuloom::sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostPointBytes = 2 << 20;  // of the results of a sweep that can be opened

// Unit and meaning of each metric that a result has; the roll-ups of a counter share its entry.
Json definitions(const Json& runs) {
  std::map<std::string, KnownMetric> known;
  for (KnownMetric& m : known_metrics("h200")) known.emplace(m.name, std::move(m));
  Json out = Json::object();
  const auto add = [&](const std::string& name) {
    const auto found = known.find(name);
    if (found == known.end()) return;
    const KnownMetric& m = found->second;
    if (m.counter.empty()) {
      out[name] = {m.unit, m.description};
    } else if (!out.contains(m.counter)) {
      // What the page says of the roll-up itself.
      std::string text = m.description;
      for (const char* way :
           {" Sum over all units.", " Mean over units.", " Least of all units.", " Largest of all units."})
        if (text.ends_with(way)) text.erase(text.size() - std::string_view(way).size());
      out[m.counter] = {m.unit, text};
    }
  };
  for (const Json& run : runs)
    for (const Json& kernel : run.at("result").value("kernels", Json::array()))
      for (const auto& [name, metric] : kernel.at("metrics").items()) add(name);
  return out;
}

Json metric_labels() {
  Json out = Json::array();
  for (const MetricInfo& m : metric_table())
    if (!m.label.empty()) out.push_back({m.name, m.label, m.section});
  return out;
}

// A file beside the result, where it is of the same thing: `what` of another run would be untrue. Null
// elsewhere, and the page says why.
Json of_same_run(PageRun& run, const std::string& text, const char* file, const char* what) {
  Json j = Json::parse(text, nullptr, false);
  if (j.is_discarded() || !j.is_object() || !j.contains("provenance")) {
    run.missing.push_back(fmt::format("{} beside this result is damaged, so the page has {}.", file, what));
    return nullptr;
  }
  const Json& ours = run.result.at("provenance");
  const Json& theirs = j["provenance"];
  for (const char* key : {"config_sha256", "ptx_sha256", "launch", "lowering", "sources"})
    if (ours.value(key, "") != theirs.value(key, "")) {
      run.missing.push_back(fmt::format(
          "{} beside this result is of another run ('{}' differs), so the page has {}.", file, key, what));
      return nullptr;
    }
  return j;
}

void add_intervals(PageRun& run, Json& page) {
  if (run.intervals.empty()) return;
  const auto j = of_same_run(run, run.intervals, "intervals.json", "no counters over time");
  if (j.is_null()) return;
  try {
    page["over_time"] = intervals_page(j, run.result);
  } catch (const nlohmann::json::exception&) {
    run.missing.push_back(
        "intervals.json beside this result is damaged, so the page has no counters over time.");
  }
}

Json run_json(PageRun& run) {
  Json j = {{"name", run.name}};
  if (run.gpu) j["hardware"] = hardware_json(*run.gpu);
  j["texts"] = source_texts(run, run.result);
  if (Json ptx = ptx_lines(run, run.result); !ptx.is_null()) j["ptx"] = std::move(ptx);
  if (Json machine = machine_listing(run); !machine.empty()) j["machine"] = std::move(machine);
  j["occupancy"] = occupancy_curves(run);
  if (!run.explain.empty())
    if (Json explain = of_same_run(run, run.explain, "explain.json", "no advice"); !explain.is_null())
      j["explain"] = std::move(explain);
  if (!run.pipeline.empty())
    if (Json p = of_same_run(run, run.pipeline, "pipeline.json", "no pipelines"); !p.is_null())
      j["pipeline"] = std::move(p);
  add_intervals(run, j);
  for (const auto& timeline : run.timelines) j["timelines"].push_back(timeline_page(*timeline));
  j["missing"] = run.missing;
  j["result"] = std::move(run.result);
  return j;
}

// Folders by their last name where that tells them apart.
void shorten_names(std::vector<PageRun>& runs) {
  std::set<std::string> seen;
  std::vector<std::string> last;
  for (const PageRun& run : runs) {
    last.push_back(run.name.substr(run.name.rfind('/') + 1));
    if (last.back().empty() || !seen.insert(last.back()).second) return;
  }
  for (size_t i = 0; i < runs.size(); ++i) runs[i].name = last[i];
}

std::string title_of(const Json& result) {
  std::set<std::string> names;
  if (result.contains("launch_table"))
    return std::filesystem::path(result.at("provenance").value("program", "program")).filename().string();
  for (const Json& kernel : result.value("kernels", Json::array()))
    names.insert(short_name(kernel.at("name").get<std::string>()));
  if (names.size() == 1) return *names.begin();
  return names.empty() ? "result" : std::to_string(names.size()) + " kernels";
}

std::string page_of(std::vector<PageRun> runs, const HtmlReportOptions& options, Json sweep) {
  Json data;
  HtmlPage page;
  page.text = runs.at(0).text;
  shorten_names(runs);
  Json list = Json::array();
  for (PageRun& run : runs) list.push_back(run_json(run));
  const std::string own =
      sweep.is_null() ? title_of(list.at(0).at("result")) : sweep.at("name").get<std::string>();
  data["title"] = options.title.empty() ? own : options.title;
  data["made_by"] = "gpuloom " + std::string(version());
  if (options.baseline >= 0) data["baseline"] = options.baseline;
  data["definitions"] = definitions(list);
  data["metric_table"] = metric_labels();
  if (!sweep.is_null()) data["sweep"] = std::move(sweep);
  data["runs"] = std::move(list);
  page.title = data["title"].get<std::string>() + " - gpuloom";
  page.data = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  return html_page(page);
}

}  // namespace

std::string html_report(std::vector<PageRun> runs, const HtmlReportOptions& options) {
  return page_of(std::move(runs), options, nullptr);
}

std::string html_report_of(const std::vector<std::string>& paths, const HtmlReportOptions& options) {
  if (paths.size() == 1 && is_sweep(paths[0])) {
    SweepPage sweep = read_sweep_page(paths[0], kMostPointBytes);
    return page_of(std::move(sweep.runs), options, std::move(sweep.table));
  }
  std::vector<PageRun> runs;
  for (const std::string& path : paths) {
    if (is_sweep(path))
      throw Error(ErrorKind::kUsage, "a sweep has its own page: give '" + path + "' and nothing else");
    runs.push_back(read_page_run(path));
  }
  return page_of(std::move(runs), options, nullptr);
}

}  // namespace gpuloom::sim
