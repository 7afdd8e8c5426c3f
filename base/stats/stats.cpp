// SPDX-License-Identifier: Apache-2.0
#include "base/stats/stats.h"

#include <algorithm>
#include <cstring>
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

// Where a group's counters stand among the metrics, and in memory. Groups of one kind have the same: a launch
// takes two snapshots of some 60,000 counters, and names would be most of that.
struct Kind {
  std::vector<Declaration> declared;  // of one of the groups
  std::vector<size_t> places;         // by counter: among the metrics
  // Counters that follow each other in memory, so that they are compared and copied at once.
  struct Run {
    size_t first, count;  // counters
  };
  std::vector<Run> runs;
};

struct Layout {
  struct Member {
    const Group* group;
    const Kind* kind;
  };
  std::vector<std::unique_ptr<Kind>> kinds;
  std::vector<Member> members;
  std::vector<Metric> metrics;  // without values
};

struct Frozen {
  std::shared_ptr<const Layout> layout;
  std::vector<std::shared_ptr<const std::vector<uint64_t>>> values;  // by member
};

namespace {

void check_same(const Metric& metric, const Declaration& declaration) {
  if (metric.unit != declaration.unit || metric.description != declaration.description ||
      metric.combine != declaration.combine) {
    throw Error(ErrorKind::kInternal,
                "the statistic " + metric.name + " is declared twice with different meanings");
  }
}

bool same_literals(const std::vector<Declaration>& a, const std::vector<Declaration>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Declaration& x, const Declaration& y) {
    return x.name == y.name && x.bucket == y.bucket && x.unit == y.unit && x.description == y.description &&
           x.combine == y.combine;
  });
}

std::unique_ptr<Kind> kind_of(const Group& group, Layout& layout,
                              std::unordered_map<std::string, size_t>& places) {
  auto kind = std::make_unique<Kind>();
  kind->declared = group.declarations();
  for (const Declaration& declaration : kind->declared) {
    std::string name = metric_name(declaration);
    const auto [place, is_new] = places.try_emplace(name, layout.metrics.size());
    if (is_new)
      layout.metrics.push_back(
          {std::move(name), declaration.unit, declaration.description, declaration.combine, {}, {}});
    check_same(layout.metrics[place->second], declaration);
    kind->places.push_back(place->second);
  }
  const std::vector<Declaration>& d = kind->declared;
  for (size_t k = 0; k < d.size(); ++k)
    if (k != 0 && d[k].value == d[k - 1].value + 1)
      ++kind->runs.back().count;
    else
      kind->runs.push_back({k, 1});
  return kind;
}

bool same_values(const Layout::Member& member, const std::vector<uint64_t>& known) {
  const std::vector<Declaration>& d = member.group->declarations();
  return std::all_of(member.kind->runs.begin(), member.kind->runs.end(), [&](const Kind::Run& r) {
    return std::memcmp(&known[r.first], d[r.first].value, r.count * sizeof(uint64_t)) == 0;
  });
}

std::shared_ptr<const std::vector<uint64_t>> values_of(const Layout::Member& member) {
  const std::vector<Declaration>& d = member.group->declarations();
  auto values = std::make_shared<std::vector<uint64_t>>(d.size());
  for (const Kind::Run& r : member.kind->runs)
    std::memcpy(values->data() + r.first, d[r.first].value, r.count * sizeof(uint64_t));
  return values;
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

const std::vector<Metric>& Snapshot::metrics() const {
  if (metrics_) return *metrics_;
  if (!now_) {
    metrics_ = std::make_shared<const std::vector<Metric>>();
    return *metrics_;
  }
  const Layout& layout = *now_->layout;
  auto metrics = std::make_shared<std::vector<Metric>>(layout.metrics);
  for (Metric& metric : *metrics) metric.values.reserve(metric.instances->size());
  for (size_t m = 0; m < layout.members.size(); ++m) {
    const std::vector<size_t>& places = layout.members[m].kind->places;
    const std::vector<uint64_t>& now = *now_->values[m];
    // A group added since the earlier one counted from zero.
    const bool counted = before_ != nullptr && m < before_->values.size();
    const uint64_t* before = counted ? before_->values[m]->data() : nullptr;
    for (size_t k = 0; k < places.size(); ++k) {
      Metric& metric = (*metrics)[places[k]];
      const bool difference = before != nullptr && metric.combine == Combine::kSum;
      metric.values.push_back(difference ? now[k] - before[k] : now[k]);
    }
  }
  metrics_ = std::move(metrics);
  return *metrics_;
}

const Metric* Snapshot::find(std::string_view name) const {
  for (const Metric& metric : metrics()) {
    if (metric.name == name) return &metric;
  }
  return nullptr;
}

const Metric& Snapshot::at(std::string_view name) const {
  if (const Metric* metric = find(name)) return *metric;
  throw Error(ErrorKind::kInternal, "there is no statistic '" + std::string(name) + "'");
}

Snapshot Snapshot::since(const Snapshot& earlier) const {
  Snapshot result;
  result.now_ = now_;
  result.before_ = earlier.now_;
  return result;
}

void Collector::add(Group& group, std::string instance) {
  members_.push_back({&group, std::move(instance)});
  last_.reset();
}

std::shared_ptr<const Layout> Collector::layout() const {
  auto made = std::make_shared<Layout>();
  std::unordered_map<std::string, size_t> places;
  std::vector<std::shared_ptr<std::vector<std::string>>> instances;  // by metric
  for (const Member& member : members_) {
    size_t at = 0;
    while (at < made->kinds.size() && !same_literals(made->kinds[at]->declared, member.group->declarations()))
      ++at;
    if (at == made->kinds.size()) made->kinds.push_back(kind_of(*member.group, *made, places));
    const Kind& kind = *made->kinds[at];
    made->members.push_back({member.group, &kind});
    while (instances.size() < made->metrics.size())
      instances.push_back(std::make_shared<std::vector<std::string>>());
    for (const size_t place : kind.places) instances[place]->push_back(member.instance);
  }
  for (size_t k = 0; k < instances.size(); ++k) made->metrics[k].instances = instances[k];
  return made;
}

Snapshot Collector::freeze() {
  auto frozen = std::make_shared<Frozen>();
  frozen->layout = last_ ? last_->layout : layout();
  const std::vector<Layout::Member>& members = frozen->layout->members;
  frozen->values.reserve(members.size());
  bool counted = !last_;
  for (size_t m = 0; m < members.size(); ++m) {
    const bool same = last_ && same_values(members[m], *last_->values[m]);
    frozen->values.push_back(same ? last_->values[m] : values_of(members[m]));
    counted |= !same;
  }
  if (counted) last_ = std::move(frozen);
  Snapshot snapshot;
  snapshot.now_ = last_;
  return snapshot;
}

void Collector::reset() {
  for (const Member& member : members_) member.group->reset();
}

}  // namespace gpuloom::stats
