// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/early_work.h"

#include <algorithm>

namespace gpuloom::ptx {

namespace {

// So many of the most urgent operations are looked at, and so far behind in the line: bounds on time alone.
constexpr size_t kLookedAt = 8;
constexpr uint32_t kFarthest = 512;

}  // namespace

EarlyWork::EarlyWork(const std::vector<uint32_t>& line, const BlockEdges& edges,
                     const std::vector<uint32_t>& rank, const UnitIntervals& units, Pressure& pressure)
    : line_(line),
      edges_(edges),
      rank_(rank),
      units_(units),
      pressure_(pressure),
      place_(line.size()),
      users_(pressure.values()),
      change_(line.size()),
      placed_(line.size(), 0),
      waiting_(edges.waiting),
      ready_at_(line.size(), 0) {
  pressure_.restart();
  for (uint32_t p = 0; p < line_.size(); ++p) {
    place_[line_[p]] = p;
    pressure_.for_used(line_[p], [&](uint32_t v, int, bool) { users_[v].push_back(p); });
    pressure_.issue(line_[p]);
    behind_.push_back(static_cast<int>(pressure_.now()));
    if (waiting_[p] == 0) ready_.push_back(p);
  }
  pressure_.restart();
}

std::vector<uint32_t> EarlyWork::run(uint32_t limit) {
  for (const int registers : behind_) limit = std::max(limit, static_cast<uint32_t>(registers));
  while (order_.size() < line_.size()) {
    while (placed_[next_] != 0) ++next_;
    place(choose(limit));
  }
  return std::move(order_);
}

uint32_t EarlyWork::when(uint32_t node) const {
  return std::max({now_, ready_at_[node], units_.when_free(node, busy_)});
}

uint32_t EarlyWork::choose(uint32_t limit) {
  const auto looked_at = ready_.begin() + static_cast<ptrdiff_t>(std::min(kLookedAt, ready_.size()));
  std::partial_sort(ready_.begin(), looked_at, ready_.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(when(a), rank_[a]) < std::pair(when(b), rank_[b]);
  });
  for (auto node = ready_.begin(); node != looked_at; ++node) {
    if (*node == line_[next_] || brings_forward(*node, limit)) return *node;
  }
  return line_[next_];
}

// Puts it in front of line_[next_] as far as registers go, where these suffice.
bool EarlyWork::brings_forward(uint32_t node, uint32_t limit) {
  const uint32_t at = place_[node];
  const auto most = static_cast<int>(limit);
  if (at - next_ > kFarthest) return false;
  if (static_cast<int>(pressure_.now()) + pressure_.change(node).registers > most) return false;
  find_changes(node);
  for (uint32_t p = next_; p < at; ++p) {
    if (placed_[p] == 0 && behind_[p] + change_[p] > most) return false;
  }
  for (uint32_t p = next_; p < at; ++p) behind_[p] += change_[p];
  return true;
}

// What is made lives from there on; what it was the last to read does not live as long.
void EarlyWork::find_changes(uint32_t node) {
  const uint32_t at = place_[node];
  std::fill(change_.begin() + next_, change_.begin() + at, pressure_.defined(node));
  pressure_.for_used(node, [&](uint32_t v, int words, bool lives_on) {
    if (lives_on) return;
    for (uint32_t p = last_use_before(users_[v], at); p < at; ++p) change_[p] -= words;
  });
}

// `place` itself where something behind it uses the value.
uint32_t EarlyWork::last_use_before(const std::vector<uint32_t>& users, uint32_t place) const {
  uint32_t last = next_;
  for (const uint32_t user : users) {
    if (user > place) return place;
    if (placed_[user] == 0 && user != place) last = std::max(last, user);
  }
  return last;
}

void EarlyWork::place(uint32_t node) {
  ready_.erase(std::find(ready_.begin(), ready_.end(), node));
  placed_[place_[node]] = 1;
  order_.push_back(node);
  now_ = when(node);
  units_.take(node, now_, busy_);
  pressure_.issue(node);
  for (const auto& [to, lat] : edges_.after[node]) {
    ready_at_[to] = std::max(ready_at_[to], now_ + lat);
    if (--waiting_[to] == 0) ready_.push_back(to);
  }
  ++now_;
}

}  // namespace gpuloom::ptx
