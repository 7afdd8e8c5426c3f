// SPDX-License-Identifier: Apache-2.0
#include "sim/api/html/timeline_page.h"

#include <algorithm>
#include <map>
#include <vector>

namespace gpuloom::sim {
namespace {

using Ordered = nlohmann::ordered_json;
using traces::Record;
using traces::RecordKind;

constexpr size_t kMostStates = 16000;  // of all recorded SMs

bool is_state(const Record& r) { return r.kind == RecordKind::kState && r.end > r.begin; }

// The cycle up to which the states are few enough for a page.
uint64_t last_cycle(const traces::Timeline& t) {
  std::vector<uint64_t> begins;
  for (const traces::SmTimeline& sm : t.sms)
    for (const Record& r : sm.records)
      if (is_state(r)) begins.push_back(r.begin);
  if (begins.size() <= kMostStates) return std::min(t.recorded_to, t.cycles);
  std::nth_element(begins.begin(), begins.begin() + kMostStates, begins.end());
  return begins[kMostStates];
}

struct WarpRecords {
  std::vector<Record> lives, states;
};

// Only operations that a state names are listed.
class Operations {
 public:
  explicit Operations(const traces::Timeline& t) : timeline_(t) {}
  int number(uint32_t operation) {
    if (operation >= timeline_.operations.size()) return -1;
    const auto [at, is_new] = numbers_.try_emplace(operation, static_cast<int>(texts_.size()));
    if (is_new) texts_.push_back(timeline_.operation(operation));
    return at->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  const traces::Timeline& timeline_;
  std::map<uint32_t, int> numbers_;
  std::vector<std::string> texts_;
};

Ordered warp_json(unsigned slot, const WarpRecords& warp, uint64_t end, Operations& operations) {
  Ordered j = {{"slot", slot}, {"lives", Ordered::array()}, {"states", Ordered::array()}};
  for (const Record& r : warp.lives) j["lives"].push_back({r.begin, std::min(r.end, end), r.b, r.a});
  for (const Record& r : warp.states)
    j["states"].push_back({r.begin, std::min(r.end, end) - r.begin, r.reason, operations.number(r.a)});
  return j;
}

}  // namespace

Ordered timeline_page(const traces::Timeline& t) {
  const uint64_t end = last_cycle(t);
  Operations operations(t);
  Ordered sms = Ordered::array();
  uint64_t first = end;
  for (const traces::SmTimeline& sm : t.sms) {
    std::map<unsigned, WarpRecords> warps;
    for (const Record& r : sm.records) {
      if (r.begin >= end) continue;
      if (r.kind == RecordKind::kWarp) warps[r.unit].lives.push_back(r);
      if (is_state(r)) warps[r.unit].states.push_back(r);
      first = std::min(first, r.begin);
    }
    Ordered list = Ordered::array();
    for (const auto& [slot, warp] : warps) list.push_back(warp_json(slot, warp, end, operations));
    sms.push_back({{"sm", sm.sm}, {"warps", std::move(list)}});
  }
  Ordered j = {{"from", first}, {"to", end}};
  if (end < t.cycles) j["left_out"] = t.cycles - end;
  j["per_sub_core"] = t.warps_per_sub_core;
  j["reasons"] = t.reasons;
  j["operations"] = operations.texts();
  j["sms"] = std::move(sms);
  return j;
}

}  // namespace gpuloom::sim
