// SPDX-License-Identifier: Apache-2.0
#include "sim/api/html/intervals_page.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace gpuloom::sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostValues = 16000;  // of a counter
constexpr size_t kMostStalls = 8;      // the reasons for which warps waited most
constexpr std::string_view kStall = "smsp__warps_issue_stalled_";

struct Shown {
  std::string_view kind, counter;
};
// Stalls are added by size.
constexpr Shown kShown[] = {
    {"sm", "smsp__issue_active"},
    {"sm", "sm__warps_active"},
    {"sm", "smsp__inst_executed"},
    {"sm", "sm__ctas_launched"},
    {"sm", "l1tex__t_sectors_lookup_hit"},
    {"sm", "l1tex__t_sectors_lookup_miss"},
    {"sm", "l1tex__data_pipe_lsu_wavefronts_mem_shared"},
    {"sm", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared"},
    {"sm", "sim__bulk_bytes"},
    {"l2", "lts__t_sectors"},
    {"l2", "lts__t_sectors_lookup_hit"},
    {"l2", "lts__t_sectors_lookup_miss"},
    {"l2", "sim__lts_write_back_sectors"},
    {"dram", "dram__bytes_read"},
    {"dram", "dram__bytes_write"},
    {"dram", "sim__dram_row_misses"},
};

uint64_t sum_of(const Json& counter) {
  uint64_t sum = 0;
  for (const Json& interval : counter.at("values"))
    for (const Json& value : interval) sum += value.get<uint64_t>();
  return sum;
}

std::vector<std::string> shown_of(const std::string& kind, const Json& counters) {
  std::vector<std::string> names;
  for (const Shown& s : kShown)
    if (s.kind == kind && counters.contains(s.counter)) names.emplace_back(s.counter);
  std::vector<std::pair<uint64_t, std::string>> stalls;
  for (const auto& [name, counter] : counters.items())
    if (name.starts_with(kStall)) stalls.emplace_back(sum_of(counter), name);
  std::sort(stalls.begin(), stalls.end(), std::greater<>());
  if (stalls.size() > kMostStalls) stalls.resize(kMostStalls);
  for (auto& [sum, name] : stalls) names.push_back(std::move(name));
  return names;
}

// `join` intervals become one.
Json joined(const Json& values, size_t units, size_t join) {
  std::vector<uint64_t> out((values.size() + join - 1) / join * units);
  for (size_t i = 0; i < values.size(); ++i)
    for (size_t u = 0; u < units; ++u) out[i / join * units + u] += values[i].at(u).get<uint64_t>();
  return out;
}

Json kind_page(const std::string& kind, const Json& table, size_t join) {
  const size_t units = table.at("count"), intervals = table.at("intervals");
  Json out = {{"kind", kind}, {"units", units}, {"intervals", (intervals + join - 1) / join}};
  Json& list = out["counters"] = Json::array();
  for (const std::string& name : shown_of(kind, table.at("counters"))) {
    const Json& counter = table.at("counters").at(name);
    list.push_back({{"name", name},
                    {"unit", counter.at("unit")},
                    {"sum", sum_of(counter)},
                    {"values", joined(counter.at("values"), units, join)}});
  }
  return out;
}

Json launch_page(const Json& launch) {
  size_t join = 1;
  for (const auto& [kind, table] : launch.at("units").items()) {
    const size_t values = table.at("count").get<size_t>() * table.at("intervals").get<size_t>();
    join = std::max(join, (values + kMostValues - 1) / kMostValues);
  }
  Json out = {{"interval", launch.at("interval").get<uint64_t>() * join},
              {"cycles", launch.at("cycles").get<uint64_t>()}};
  Json& kinds = out["kinds"] = Json::array();
  for (const char* kind : {"sm", "l2", "dram"})
    if (launch.at("units").contains(kind))
      kinds.push_back(kind_page(kind, launch.at("units").at(kind), join));
  return out;
}

}  // namespace

Json intervals_page(const Json& intervals, const Json& result) {
  Json out = Json::array();
  for (const Json& kernel : result.value("kernels", Json::array())) {
    const auto& metrics = kernel.at("metrics");
    const auto cycles = metrics.find("sm__cycles_elapsed.max");
    Json entry = nullptr;
    for (const Json& launch : intervals.at("launches"))
      if (cycles != metrics.end() && launch.at("kernel") == kernel.at("name").get<std::string>() &&
          launch.at("cycles").get<double>() == cycles->at("value").get<double>() && entry.is_null())
        entry = launch_page(launch);
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace gpuloom::sim
