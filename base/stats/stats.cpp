// SPDX-License-Identifier: Apache-2.0
#include "base/stats/stats.h"

#include <algorithm>
#include <unordered_map>

#include "base/error.h"

namespace gpuloom::stats {

std::string metric_name(const Declaration& declaration) {
  std::string name = declaration.name;
  if (declaration.bucket == nullptr) return name;
  const size_t hole = name.find("{}");
  if (hole == std::string::npos) return name + "_" + declaration.bucket;
  return name.replace(hole, 2, declaration.bucket);
}

namespace {

void check_same(const Metric& metric, const Declaration& declaration) {
  if (metric.unit != declaration.unit || metric.description != declaration.description ||
      metric.combine != declaration.combine) {
    throw Error(ErrorKind::kInternal,
                "the statistic " + metric.name + " is declared twice with different meanings");
  }
}

}  // namespace

void Group::reset() {
  for (const Declaration& declaration : declarations_) *declaration.value = 0;
}

uint64_t Metric::sum() const {
  uint64_t total = 0;
  for (const uint64_t value : values) total += value;
  return total;
}
double Metric::avg() const {
  return values.empty() ? 0.0 : static_cast<double>(sum()) / static_cast<double>(values.size());
}
uint64_t Metric::min() const { return values.empty() ? 0 : *std::min_element(values.begin(), values.end()); }
uint64_t Metric::max() const { return values.empty() ? 0 : *std::max_element(values.begin(), values.end()); }

const Metric* Snapshot::find(std::string_view name) const {
  for (const Metric& metric : metrics) {
    if (metric.name == name) return &metric;
  }
  return nullptr;
}

const Metric& Snapshot::at(std::string_view name) const {
  if (const Metric* metric = find(name)) return *metric;
  throw Error(ErrorKind::kInternal, "there is no statistic '" + std::string(name) + "'");
}

Snapshot Snapshot::since(const Snapshot& earlier) const {
  Snapshot result = *this;
  for (size_t i = 0; i < result.metrics.size(); ++i) {
    Metric& metric = result.metrics[i];
    if (metric.combine == Combine::kMax) continue;
    const bool in_place = i < earlier.metrics.size() && earlier.metrics[i].name == metric.name;
    const Metric* before = in_place ? &earlier.metrics[i] : earlier.find(metric.name);
    if (before == nullptr) continue;  // a group added since: it counted from zero
    for (size_t k = 0; k < std::min(metric.values.size(), before->values.size()); ++k) {
      metric.values[k] -= before->values[k];
    }
  }
  return result;
}

void Collector::add(Group& group, std::string instance) { members_.push_back({&group, std::move(instance)}); }

Snapshot Collector::freeze() const {
  Snapshot snapshot;
  std::unordered_map<std::string, size_t> places;
  for (const Member& member : members_) {
    for (const Declaration& declaration : member.group->declarations()) {
      std::string name = metric_name(declaration);
      const auto [place, is_new] = places.try_emplace(name, snapshot.metrics.size());
      if (is_new) {
        snapshot.metrics.push_back(
            {std::move(name), declaration.unit, declaration.description, declaration.combine, {}, {}});
      }
      Metric& metric = snapshot.metrics[place->second];
      check_same(metric, declaration);
      metric.values.push_back(*declaration.value);
      metric.instances.push_back(member.instance);
    }
  }
  return snapshot;
}

void Collector::reset() {
  for (const Member& member : members_) member.group->reset();
}

}  // namespace gpuloom::stats
