// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/register_file.h"

#include <algorithm>
#include <array>
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
  unread_at_.clear();
  across_at_.clear();
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
  const auto lived =
      std::find_if(lives.begin(), lives.end(), [](const auto* life) { return !life->at.empty(); });
  const uint32_t from = lived == lives.end() ? 0 : (*lived)->at.front().from;
  const Begin begin{blocked_ | busy_at_.at(from), late ? Mask{} : unread_at_.at(from)};
  Mask free = ~taken_from & beginnings(step);
  // Of those that stand alone all of a bank cost the same: one of each is looked at.
  const Mask alone = words > 2 ? Mask{} : free & standing_alone(words, begin);
  free &= ~alone;
  for (const unsigned bank : {0u, 1u})
    if (const size_t first = (alone & (beginnings(2) << bank))._Find_first(); first < kFile) free.set(first);
  unsigned best = kFile;
  uint64_t least = UINT64_MAX;
  for (auto r = static_cast<unsigned>(free._Find_first()); r + words <= limit;
       r = static_cast<unsigned>(free._Find_next(r))) {
    uint64_t now = cost(lives, r, begin);
    if (odd != 0 && (odd > 0) != (r % 2 != 0)) now += kBank * static_cast<unsigned>(std::abs(odd));
    if (now >= least) continue;
    least = now;
    best = r;
  }
  return best;
}

// Each `step`-th register: 1, 2 or 4.
const File::Mask& File::beginnings(unsigned step) {
  static const std::array<Mask, 3> kMasks = [] {
    std::array<Mask, 3> masks;
    for (unsigned k = 0; k < masks.size(); ++k)
      for (unsigned r = 0; r < kFile; r += 1u << k) masks[k].set(r);
    return masks;
  }();
  return kMasks[step / 2];
}

// Beginnings of one register or two from which nothing is read late, and beside which nothing lives in the
// aligned run of twice their length.
File::Mask File::standing_alone(unsigned words, const Begin& begin) {
  Mask unread = begin.unread, taken = begin.taken;
  if (words == 2) {
    unread |= unread >> 1;
    taken |= taken >> 1;
  }
  const Mask& runs = beginnings(2 * words);
  const Mask beside = (taken >> words & runs) | (taken & runs) << words;
  return ~(unread | beside);
}

// First what has not been read where the register is written, then how long the rest of the aligned run of
// twice the length, which a wide value may want, stands empty for the sake of this value or beyond it.
uint64_t File::cost(const Lives& lives, unsigned first, const Begin& begin) const {
  constexpr uint64_t kUnread = uint64_t{1} << 40, kKeepsOut = 4;
  const auto words = static_cast<unsigned>(lives.size());
  // Words of a tuple that nobody reads have no life.
  const auto lived =
      std::find_if(lives.begin(), lives.end(), [](const auto* life) { return !life->at.empty(); });
  if (lived == lives.end()) return 0;
  const uint32_t from = (*lived)->at.front().from, to = (*lived)->at.front().to;
  uint64_t cost = 0;
  for (unsigned k = 0; k < words; ++k) {
    if (begin.unread[first + k]) cost = std::max(cost, kUnread * (unread_until(first + k, from) - from));
  }
  if (words > 2) return cost;
  uint32_t others = from;
  const unsigned run = first / (2 * words) * (2 * words);
  for (unsigned r = run; r < run + 2 * words; ++r) {
    if ((r < first || r >= first + words) && begin.taken[r]) others = std::max(others, busy_until(r, from));
  }
  cost += others < to ? kKeepsOut * (to - others) : std::min(others, uint32_t{1} << 30) - to;
  return cost;
}

// Of a register that is taken at `at`.
uint32_t File::busy_until(unsigned r, uint32_t at) const {
  return std::max(at, (first_from(busy_[r], at + 1) - 1)->to);
}

// Of a register that has something to be read at `at`.
uint32_t File::unread_until(unsigned r, uint32_t at) const {
  return (first_from(unread_[r], at + 1) - 1)->to;
}

// What begins later and ends sooner than another says nothing.
void File::note_unread(unsigned r, Range range) {
  unread_at_.note(r, range);
  std::vector<Range>& list = unread_[r];
  auto at = first_from(list, range.from + 1);
  if (at != list.begin() && (at - 1)->to >= range.to) return;
  if (at != list.begin() && (at - 1)->from == range.from) --at;
  auto end = at;
  while (end != list.end() && end->to <= range.to) ++end;
  at = list.erase(at, end);
  list.insert(at, range);
}

void File::take(const Lives& lives, unsigned first) {
  for (size_t k = 0; k < lives.size(); ++k) {
    std::vector<Range>& busy = busy_[first + k];
    for (const Range& range : lives[k]->at) {
      busy.insert(first_from(busy, range.from), range);
      busy_at_.note(first + static_cast<unsigned>(k), range);
    }
    for (const Range& range : lives[k]->during) across_at_.note(first + static_cast<unsigned>(k), range);
  }
  used_ = std::max(used_, first + static_cast<unsigned>(lives.size()));
}

void File::release(const Lives& lives, unsigned first) {
  for (size_t k = 0; k < lives.size(); ++k) {
    std::vector<Range>& busy = busy_[first + k];
    for (const Range& range : lives[k]->at) {
      busy.erase(first_from(busy, range.from));
      busy_at_.forget(first + static_cast<unsigned>(k), range);
    }
  }
}

// Calls part(position) for those of the range at its ends, whole(stretch) for the stretches between.
template <class Part, class Whole>
void File::Presence::in_stretches(Range range, Part part, Whole whole) {
  uint32_t at = range.from;
  for (; at < range.to && at % kStretch != 0; ++at) part(at);
  for (; at + kStretch <= range.to; at += kStretch) whole(at / kStretch);
  for (; at < range.to; ++at) part(at);
}

void File::Presence::clear() {
  at_.clear();
  stretches_.clear();
}

void File::Presence::note(unsigned r, Range range) {
  const uint32_t stretches = (range.to + kStretch - 1) / kStretch;
  if (stretches_.size() < stretches) {
    stretches_.resize(stretches);
    at_.resize(size_t{stretches} * kStretch);
  }
  const auto part = [&](uint32_t at) {
    at_[at].set(r);
    stretches_[at / kStretch].some.set(r);
  };
  in_stretches(range, part, [&](uint32_t s) {
    stretches_[s].all.set(r);
    stretches_[s].some.set(r);
  });
}

void File::Presence::forget(unsigned r, Range range) {
  in_stretches(
      range, [&](uint32_t at) { at_[at].reset(r); }, [&](uint32_t s) { stretches_[s].all.reset(r); });
  for (uint32_t s = range.from / kStretch; s * kStretch < range.to; ++s) {
    bool some = stretches_[s].all[r];
    for (uint32_t at = s * kStretch; at < (s + 1) * kStretch && !some; ++at) some = at_[at][r];
    stretches_[s].some[r] = some;
  }
}

File::Mask File::Presence::at(uint32_t position) const {
  return position < at_.size() ? at_[position] | stretches_[position / kStretch].all : Mask{};
}

void File::Presence::add_over(Range range, Mask& found) const {
  range.to = std::min(range.to, static_cast<uint32_t>(at_.size()));
  if (range.from >= range.to) return;
  found |= stretches_[range.from / kStretch].all | stretches_[(range.to - 1) / kStretch].all;
  in_stretches(
      range, [&](uint32_t at) { found |= at_[at]; }, [&](uint32_t s) { found |= stretches_[s].some; });
}

// Registers that are not free all the life.
File::Mask File::taken_over(const Life& life) const {
  Mask taken = blocked_;
  for (const Range& range : life.at) {
    busy_at_.add_over(range, taken);
    across_at_.add_over(range, taken);
  }
  for (const Range& range : life.during) busy_at_.add_over(range, taken);
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
