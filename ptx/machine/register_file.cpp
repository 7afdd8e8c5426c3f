// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/register_file.h"

#include <algorithm>
#include <cstdlib>

namespace gpuloom::ptx {

void File::block(unsigned r) {
  busy_[r].emplace(0, UINT32_MAX);
  used_ = std::max(used_, r + 1);
}

unsigned File::find(const Lives& lives, unsigned begin, unsigned step) const {
  const auto words = static_cast<unsigned>(lives.size());
  for (unsigned r = std::max(begin, (reserved_ + step - 1) / step * step + begin % step);
       r + words <= kFile - 1; r += step) {
    if (are_free(r, lives)) return r;
  }
  return kFile;
}

// Of cost(): reading two registers of a bank takes a cycle more, each time.
constexpr uint64_t kBank = 4;

unsigned File::find_best(const Lives& lives, unsigned limit, bool late, int odd) const {
  const auto words = static_cast<unsigned>(lives.size());
  const unsigned step = words > 2 ? 4 : words;
  unsigned best = kFile;
  uint64_t least = UINT64_MAX;
  for (unsigned r = 0; r + words <= limit; r += step) {
    if (!are_free(r, lives)) continue;
    uint64_t now = cost(lives, r, late);
    if (odd != 0 && (odd > 0) != (r % 2 != 0)) now += kBank * static_cast<unsigned>(std::abs(odd));
    if (now >= least) continue;
    least = now;
    best = r;
  }
  return best;
}

// First what has not been read where the register is written, then how long the rest of the aligned run of
// twice the length, which a wide value may want, stands empty for the sake of this value or beyond it.
uint64_t File::cost(const Lives& lives, unsigned first, bool late) const {
  constexpr uint64_t kUnread = uint64_t{1} << 40, kKeepsOut = 4;
  const auto words = static_cast<unsigned>(lives.size());
  const uint32_t from = lives[0]->front().from, to = lives[0]->front().to;
  uint64_t cost = 0;
  for (unsigned k = 0; k < words && !late; ++k) {
    for (const Range& r : unread_[first + k]) {
      if (r.from <= from && from < r.to) cost = std::max(cost, kUnread * (r.to - from));
    }
  }
  if (words > 2) return cost;
  uint32_t others = from;
  const unsigned run = first / (2 * words) * (2 * words);
  for (unsigned r = run; r < run + 2 * words; ++r) {
    if (r < first || r >= first + words) others = std::max(others, busy_until(r, from));
  }
  cost += others < to ? kKeepsOut * (to - others) : std::min(others, uint32_t{1} << 30) - to;
  return cost;
}

uint32_t File::busy_until(unsigned r, uint32_t at) const {
  auto after = busy_[r].upper_bound(at);
  if (after == busy_[r].begin()) return at;
  return std::max(at, (--after)->second);
}

void File::take(const Lives& lives, unsigned first) {
  for (size_t k = 0; k < lives.size(); ++k) {
    for (const Range& range : *lives[k]) busy_[first + k].emplace(range.from, range.to);
  }
  used_ = std::max(used_, first + static_cast<unsigned>(lives.size()));
}

void File::release(const Lives& lives, unsigned first) {
  for (size_t k = 0; k < lives.size(); ++k) {
    for (const Range& range : *lives[k]) busy_[first + k].erase(range.from);
  }
}

bool File::are_free(unsigned first, const Lives& lives) const {
  for (unsigned k = 0; k < lives.size(); ++k) {
    if (!is_free(first + k, *lives[k])) return false;
  }
  return true;
}

bool File::is_free(unsigned r, const std::vector<Range>& ranges) const {
  return std::all_of(ranges.begin(), ranges.end(), [&](const Range& range) {
    auto after = busy_[r].lower_bound(range.to);
    return after == busy_[r].begin() || (--after)->second <= range.from;
  });
}

}  // namespace gpuloom::ptx
