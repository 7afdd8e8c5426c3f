// SPDX-License-Identifier: Apache-2.0
#include "sim/api/html/program_page.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace gpuloom::sim {
namespace {

using Json = nlohmann::ordered_json;

// Of a launch in time, what the table shows.
constexpr std::array<const char*, 6> kMetrics = {
    "sm__cycles_elapsed.max",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "dram__bytes.sum",
    "launch__registers_per_thread"};

std::string extent(const Json& e) {
  return fmt::format("{}x{}x{}", e.at(0).get<uint64_t>(), e.at(1).get<uint64_t>(), e.at(2).get<uint64_t>());
}

// A launch with metrics, as text until it is known whether the page has room for it.
struct Detail {
  std::string kernel, text;
  double took = 0;
};

class Launches {
 public:
  void add(const Json& launch) {
    const auto name = launch.at("name").get<std::string>();
    const auto [place, fresh] = kernels_.emplace(name, kernels_.size());
    if (fresh) names_.push_back(launch.value("demangled", name));
    Json row = {launch.at("launch"),       place->second,
                extent(launch.at("grid")), extent(launch.at("block")),
                launch.at("stream"),       launch.at("start_ns"),
                launch.at("end_ns"),       launch.at("warp_instructions")};
    const bool timed = launch.contains("metrics") && !launch["metrics"].empty();
    if (timed) {
      for (const char* metric : kMetrics) {
        const auto found = launch["metrics"].find(metric);
        row.push_back(found == launch["metrics"].end() ? Json(nullptr) : found->at("value"));
      }
      keep({name, launch.dump(), launch.at("end_ns").get<double>() - launch.at("start_ns").get<double>()});
    }
    rows_.push_back(std::move(row));
  }

  // Keys of an ordered object lie in a vector: a reference to one does not outlive the next that is added.
  void write(Json& head, size_t most_bytes) {
    Json kernels = Json::array(), notes = Json::array();
    const size_t shown = details(kernels, most_bytes);
    if (shown < timed_)
      notes.push_back(fmt::format(
          "{} of {} launches in time can be opened: the longest of each kernel, then the longest of all. "
          "result.json has the metrics of every one.",
          with_thousands(shown), with_thousands(timed_)));
    Json table = Json::object();
    table["columns"] = {"launch", "kernel",   "grid",   "block",
                        "stream", "start_ns", "end_ns", "warp_instructions"};
    table["metrics"] = kMetrics;
    table["kernels"] = names_;
    table["count"] = rows_.size();
    table["notes"] = std::move(notes);
    table["rows"] = std::move(rows_);
    head["launch_table"] = std::move(table);
    head["kernels"] = std::move(kernels);
  }

 private:
  // The longest of each kernel always stay; of the others so many as a page could hold.
  void keep(Detail detail) {
    ++timed_;
    auto& longest = longest_[detail.kernel];
    if (longest.text.empty() || detail.took > longest.took) std::swap(longest, detail);
    if (detail.text.empty()) return;
    others_.push_back(std::move(detail));
    std::push_heap(others_.begin(), others_.end(), shorter_last);
    if (others_.size() > kMostDetails) {
      std::pop_heap(others_.begin(), others_.end(), shorter_last);
      others_.pop_back();
    }
  }

  size_t details(Json& kernels, size_t most_bytes) {
    std::vector<const Detail*> wanted;
    for (const auto& [name, detail] : longest_) wanted.push_back(&detail);
    const auto longer = [](const Detail* a, const Detail* b) { return a->took > b->took; };
    std::stable_sort(wanted.begin(), wanted.end(), longer);
    std::vector<const Detail*> rest;
    for (const Detail& detail : others_) rest.push_back(&detail);
    std::stable_sort(rest.begin(), rest.end(), longer);
    wanted.insert(wanted.end(), rest.begin(), rest.end());
    std::vector<Json> chosen;
    size_t bytes = 0;
    for (const Detail* detail : wanted) {
      if (bytes != 0 && bytes + detail->text.size() > most_bytes) continue;
      bytes += detail->text.size();
      chosen.push_back(Json::parse(detail->text));
    }
    std::stable_sort(chosen.begin(), chosen.end(), [](const Json& a, const Json& b) {
      return a.at("launch").get<uint64_t>() < b.at("launch").get<uint64_t>();
    });
    for (Json& launch : chosen) kernels.push_back(std::move(launch));
    return chosen.size();
  }

  static bool shorter_last(const Detail& a, const Detail& b) { return a.took > b.took; }
  static constexpr size_t kMostDetails = 64;

  std::map<std::string, size_t> kernels_;
  std::vector<std::string> names_;
  Json rows_ = Json::array();
  std::map<std::string, Detail> longest_;
  std::vector<Detail> others_;
  uint64_t timed_ = 0;
};

}  // namespace

Json page_result(const std::string& text, const std::string& file, size_t most_bytes) {
  Launches launches;
  bool program = false, inside = false;
  const auto each = [&](int depth, Json::parse_event_t event, Json& value) {
    if (depth == 1 && event == Json::parse_event_t::key) program |= inside = value == "launches";
    if (!inside || depth != 2 || event != Json::parse_event_t::object_end) return true;
    launches.add(value);
    return false;
  };
  try {
    Json head = Json::parse(text, each);
    head.at("provenance").at("config");
    if (!program) {
      head.at("kernels");
      return head;
    }
    head.erase("launches");
    launches.write(head, most_bytes);
    return head;
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::kInput, "not a result of gpuloom", {file, 0, 0},
                "give a folder that `gpuloom run -o`, `exec -o` or `sweep run` wrote, or a result.json");
  }
}

}  // namespace gpuloom::sim
