// SPDX-License-Identifier: Apache-2.0
#include "tests/behaviour/configuration_keys/search.h"

#include <algorithm>

#include "base/text.h"

namespace gpuloom::tests::keys {
namespace {

constexpr int kLong = 100;  // from this rank on, launches that take long

// Which launch to try first.
int rank_of(const std::string& key, const std::string& launch) {
  static const std::vector<std::pair<std::string, std::vector<std::string>>> kOrder = {
      {"limits.grid", {"shape", "memory", "hopper"}},
      {"limits.block", {"shape", "memory", "hopper"}},
      {"limits.cluster", {"hopper", "hopper_portable", "occupancy"}},
      {"limits.", {"occupancy", "memory", "hopper", "shape"}},
      {"sm.fetch.", {"integer", "memory", "loop", "code"}},
      {"sm.branch.", {"warps", "memory"}},
      {"sm.operations.h", {"floating", "matrix"}},
      {"sm.operations.bmov", {"calls"}},
      {"sm.operations.",
       {"integer", "floating", "warps", "memory", "matrix", "hopper", "texture", "crowd", "hopper_tensor",
        "waits", "calls"}},
      {"sm.wgmma", {"hopper"}},
      {"sm.tma", {"hopper", "hopper_tensor"}},
      {"sm.l1.", {"memory", "reuse"}},
      {"sm.pipes.",
       {"floating", "integer", "warps", "memory", "texture", "crowd", "hopper_tensor", "waits", "calls"}},
      {"sm.", {"memory", "waits", "hopper", "warps", "integer"}},
      {"noc.cluster", {"hopper"}},
      {"gpc.", {"memory", "blocks", "traffic"}},
      {"launch.", {"memory"}},
      {"noc.", {"memory", "hopper", "traffic", "window"}},
      {"l2.", {"memory", "traffic", "window"}},
      {"dram.", {"memory", "traffic", "window"}},
      {"", {"occupancy", "memory"}}};
  for (const auto& [prefix, order] : kOrder) {
    if (!key.starts_with(prefix)) continue;
    const auto at = std::find(order.begin(), order.end(), launch);
    if (at != order.end()) return static_cast<int>(at - order.begin());
    return launch == "window"    ? kLong + 3
           : launch == "traffic" ? kLong + 2
           : launch == "code"    ? kLong + 1
                                 : 50;
  }
  return 50;
}

}  // namespace

const Outcome& Search::before(const Launch& launch, const Change& with) {
  const auto [at, fresh] = outcomes_.try_emplace(launch.name + " " + join(with, " "));
  if (fresh) at->second = outcome_of(launch, machine_, with);
  return at->second;
}

bool Search::shows(const Launch& launch, const Change& change, const Change& with) {
  const Outcome& was = before(launch, with);
  if (!was.refused.empty() || was.text.starts_with("refused:")) return false;
  Change all = with;
  all.insert(all.end(), change.begin(), change.end());
  const Outcome now = outcome_of(launch, machine_, all);
  return now.refused.empty() && now.text != was.text;
}

std::optional<Row> Search::find(const Leaf& leaf, const Row* known) {
  std::vector<const Launch*> order;
  for (const Launch& l : *launches_) order.push_back(&l);
  std::stable_sort(order.begin(), order.end(), [&](const Launch* x, const Launch* y) {
    return rank_of(leaf.path, x->name) < rank_of(leaf.path, y->name);
  });
  std::string refused;
  const std::vector<Change> changes = changes_of(leaf, machine_, 3, refused);
  const Change with = known != nullptr ? known->with : Change{};
  // One change on all launches, then the next: most keys show by the first change. Long launches come last.
  for (const bool longer : {false, true})
    for (const Change& change : changes)
      for (const Launch* launch : order)
        if ((rank_of(leaf.path, launch->name) >= kLong) == longer && shows(*launch, change, with))
          return Row{leaf.path, {}, launch->name, change, with};
  return {};
}

}  // namespace gpuloom::tests::keys
