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

// Where a group's counters stand among the metrics. Groups of one kind have the same: a launch takes two
// snapshots of some 60,000 counters, and names would be most of that.
struct Layout {
  const Group* group;
  std::vector<size_t> places;
};

bool same_literals(const Group& a, const Group& b) {
  return std::equal(a.declarations().begin(), a.declarations().end(), b.declarations().begin(),
                    b.declarations().end(), [](const Declaration& x, const Declaration& y) {
                      return x.name == y.name && x.bucket == y.bucket && x.unit == y.unit &&
                             x.description == y.description && x.combine == y.combine;
                    });
}

Layout layout(const Group& group, Snapshot& snapshot, std::unordered_map<std::string, size_t>& places) {
  Layout layout{&group, {}};
  for (const Declaration& declaration : group.declarations()) {
    std::string name = metric_name(declaration);
    const auto [place, is_new] = places.try_emplace(name, snapshot.metrics.size());
    if (is_new)
      snapshot.metrics.push_back(
          {std::move(name), declaration.unit, declaration.description, declaration.combine, {}, {}});
    check_same(snapshot.metrics[place->second], declaration);
    layout.places.push_back(place->second);
  }
  return layout;
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
  std::vector<Layout> layouts;
  std::vector<size_t> layout_of;
  std::vector<size_t> instances;  // by metric
  for (const Member& member : members_) {
    size_t at = 0;
    while (at < layouts.size() && !same_literals(*layouts[at].group, *member.group)) ++at;
    if (at == layouts.size()) layouts.push_back(layout(*member.group, snapshot, places));
    layout_of.push_back(at);
    instances.resize(snapshot.metrics.size());
    for (const size_t place : layouts[at].places) ++instances[place];
  }
  for (size_t k = 0; k < instances.size(); ++k) {
    snapshot.metrics[k].values.reserve(instances[k]);
    snapshot.metrics[k].instances.reserve(instances[k]);
  }
  for (size_t m = 0; m < members_.size(); ++m) {
    const std::vector<Declaration>& declared = members_[m].group->declarations();
    const std::vector<size_t>& place = layouts[layout_of[m]].places;
    for (size_t k = 0; k < declared.size(); ++k) {
      Metric& metric = snapshot.metrics[place[k]];
      metric.values.push_back(*declared[k].value);
      metric.instances.push_back(members_[m].instance);
    }
  }
  return snapshot;
}

void Collector::reset() {
  for (const Member& member : members_) member.group->reset();
}

}  // namespace gpuloom::stats
