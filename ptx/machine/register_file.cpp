// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/register_file.h"

#include <algorithm>
#include <cstdlib>

namespace gpuloom::ptx {

namespace {

// The first of a register's ranges that begins at `at` or behind it.
template <class List>
auto first_from(List& ranges, uint32_t at) {
  return std::lower_bound(ranges.begin(), ranges.end(), at,
                          [](const Range& range, uint32_t position) { return range.from < position; });
}

}  // namespace

void File::clear() {
  for (unsigned r = 0; r < used_; ++r) {
    busy_[r].clear();
    unread_[r].clear();
  }
  busy_at_.clear();
  blocked_.reset();
  used_ = 0;
}

void File::block(unsigned r) {
  busy_[r] = {{0, UINT32_MAX}};
  blocked_.set(r);
  used_ = std::max(used_, r + 1);
}

unsigned File::find(const Lives& lives, unsigned begin, unsigned step) const {
  const auto words = static_cast<unsigned>(lives.size());
  const Mask taken_from = taken(lives);
  for (unsigned r = std::max(begin, (reserved_ + step - 1) / step * step + begin % step);
       r + words <= kFile - 1; r += step) {
    if (!taken_from[r]) return r;
  }
  return kFile;
}

// Of cost(): reading two registers of a bank takes a cycle more, each time.
constexpr uint64_t kBank = 4;

unsigned File::find_best(const Lives& lives, unsigned limit, bool late, int odd) const {
  const auto words = static_cast<unsigned>(lives.size());
  const unsigned step = words > 2 ? 4 : words;
  const Mask taken_from = taken(lives);
  unsigned best = kFile;
  uint64_t least = UINT64_MAX;
  for (unsigned r = 0; r + words <= limit; r += step) {
    if (taken_from[r]) continue;
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
  auto after = first_from(busy_[r], at + 1);
  if (after == busy_[r].begin()) return at;
  return std::max(at, (--after)->to);
}

void File::take(const Lives& lives, unsigned first) {
  for (size_t k = 0; k < lives.size(); ++k) {
    std::vector<Range>& busy = busy_[first + k];
    for (const Range& range : *lives[k]) {
      busy.insert(first_from(busy, range.from), range);
      if (busy_at_.size() < range.to) busy_at_.resize(range.to);
      for (uint32_t at = range.from; at < range.to; ++at) busy_at_[at].set(first + k);
    }
  }
  used_ = std::max(used_, first + static_cast<unsigned>(lives.size()));
}

void File::release(const Lives& lives, unsigned first) {
  for (size_t k = 0; k < lives.size(); ++k) {
    std::vector<Range>& busy = busy_[first + k];
    for (const Range& range : *lives[k]) {
      busy.erase(first_from(busy, range.from));
      for (uint32_t at = range.from; at < range.to; ++at) busy_at_[at].reset(first + k);
    }
  }
}

// Registers that are not free over all ranges.
File::Mask File::taken_over(const std::vector<Range>& ranges) const {
  Mask taken = blocked_;
  const auto known = static_cast<uint32_t>(busy_at_.size());
  for (const Range& range : ranges) {
    for (uint32_t at = range.from; at < std::min(range.to, known); ++at) taken |= busy_at_[at];
  }
  return taken;
}

// Registers from which on a run is not free.
File::Mask File::taken(const Lives& lives) const {
  Mask all, one;
  for (size_t k = 0; k < lives.size(); ++k) {
    if (k == 0 || lives[k] != lives[k - 1]) one = taken_over(*lives[k]);
    all |= one >> k;
  }
  return all;
}

}  // namespace gpuloom::ptx
