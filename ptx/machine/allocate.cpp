// SPDX-License-Identifier: Apache-2.0
// Physical registers: values in the order in which their lives begin, each to the first register that is free
// at all places where the value lives (linear scan with lifetime holes: Traub, Holloway, Smith, PLDI 1998).
// Pairs and quads are aligned. R1 is the stack pointer in every kernel of ptxas. Values are not split;
// registers beyond the limit count as spilled.
#include <algorithm>
#include <set>

#include "ptx/isa/table/op_traits.h"
#include "ptx/machine/calls.h"
#include "ptx/machine/latency.h"
#include "ptx/machine/node_questions.h"
#include "ptx/machine/register_file.h"
#include "ptx/machine/value_lives.h"

namespace gpuloom::ptx {

namespace {

constexpr unsigned kStackPointer = 1;
// ptxas -v reports two more than the highest register that its code names, in all kernels of the reference
// suite and of bench/silicon/lowering (they hold barrier state since Volta).
constexpr unsigned kHidden = 2;

// A value takes a new register for the sake of its bank where another is read so often beside it and its like
// (SASS of fma_ilp8: a factor in R3, eight sums in even registers), otherwise one that is in use or the next
// (constant_divergent, pipeline_2). Estimated: between the 9 readers of the latter and the 64 of the former.
constexpr size_t kOften = 32;

// Turns of Allocator::repair, and the most registers that it tries to save. Estimated: most that can be
// mended is after four turns.
constexpr unsigned kRepairs = 12;
constexpr uint32_t kRepaired = 6;

// Sums of a warp group's multiplications stand in R24 and behind, whatever the kernel needs besides (SASS of
// ptxas 13.0 for sm_90a: 79 of 79 kernels of bench/silicon/ml and of public programs, all types and shapes;
// further sums follow the first ones: R24, R88 for two of 64).
constexpr unsigned kFirstSum = 24, kSumAlignment = 4;

constexpr uint32_t kTooMany = UINT32_MAX;

// How values get their registers.
enum class Way : uint8_t {
  kSpread,   // registers are not written again at once and banks are minded, as far as the target goes
  kFitting,  // within the target, where the fewest holes arise that wide values do not fit, and where memory
             // operations have read
  kTight,    // the first that is free
};

class Allocator {
 public:
  Allocator(Graph& g, const AllocationFacts& facts, Way way, uint32_t target)
      : g_(g),
        partners_(facts.partners),
        way_(way),
        target_(target),
        lives_(lives_of(g, facts.live, way == Way::kTight, way == Way::kSpread)),
        group_of_(g.registers.size(), UINT32_MAX) {}

  uint32_t run() {
    find_groups();
    gather_units();
    if (cannot_fit()) return kTooMany;
    // Neither order is always better: by begin is best for single registers, wide ones first for tuples.
    const auto by_begin = [](const Unit& x, const Unit& y) { return x.from < y.from; };
    std::stable_sort(units_.begin(), units_.end(), by_begin);
    const uint32_t narrow = place(most_of_use());
    std::stable_sort(units_.begin(), units_.end(),
                     [](const Unit& x, const Unit& y) { return x.lives.size() > y.lives.size(); });
    const uint32_t wide = place(std::min(narrow, most_of_use()));
    if (std::min(narrow, wide) > most_of_use()) return std::min(narrow, wide) + kHidden;
    if (narrow <= wide) {
      std::stable_sort(units_.begin(), units_.end(), by_begin);
      place();
    }
    const uint32_t used = repair(std::min(narrow, wide));
    if (way_ != Way::kSpread) mend_banks();
    return used + kHidden;
  }

 private:
  // Values that take consecutive registers.
  struct Unit {
    std::vector<uint32_t> values;
    File::Lives lives;  // by register
    uint32_t from = UINT32_MAX;
  };

  // With more registers than these the way is not taken.
  uint32_t most_of_use() const {
    const uint32_t limit = target_ - std::min(target_, kHidden);
    return way_ == Way::kTight ? kFile : way_ == Way::kSpread ? limit : limit + kRepaired;
  }

  // Where the order of `units_` takes a few registers too many: what came to lie beyond the target takes its
  // place first, again and again. Returns how many are in use then.
  uint32_t repair(uint32_t used) {
    const uint32_t limit = target_ - std::min(target_, kHidden);
    if (way_ == Way::kSpread || used > limit + kRepaired) return used;
    std::vector<Unit> best = units_;
    std::set<std::vector<uint32_t>> seen = {order_of_units()};
    uint32_t least = used;
    for (unsigned turn = 0; turn < kRepairs && least > limit; ++turn) {
      const auto lies_beyond = [&](const Unit& unit) { return beyond(unit, limit); };
      std::stable_partition(units_.begin(), units_.end(), lies_beyond);
      // An order that has been before has the same turns behind it, and none of them was better.
      if (!seen.insert(order_of_units()).second) break;
      const uint32_t now = place();
      if (now >= least) continue;
      least = now;
      best = units_;
    }
    if (least < used || least > limit) {
      units_ = std::move(best);
      place();
    }
    return least;
  }

  std::vector<uint32_t> order_of_units() const {
    std::vector<uint32_t> order;
    order.reserve(units_.size());
    for (const Unit& unit : units_) order.push_back(unit.values.front());
    return order;
  }

  // Without room to spread, values go to the first register that is free. Those that share a bank with what
  // is read beside them then move to one of the other bank that stands empty while they live.
  void mend_banks() {
    for (const Unit& unit : units_) {
      const uint32_t v = unit.values.front();
      VirtualRegister& r = g_.registers[v];
      const bool movable = unit.lives.size() == 1 && unit.values.size() == 1 &&
                           unit.lives.front()->during.empty() && r.fixed == kNoRegister;
      if (!movable || lives_.across_call[v] != 0 || lives_.in_called[v] != 0 || r.physical >= kFile - 1)
        continue;
      const int odd = wanted_bank(v);
      if (odd == 0 || (odd > 0) == (r.physical % 2 != 0)) continue;
      const unsigned first = data_.find(unit.lives, odd > 0 ? 1 : 0, 2);
      if (first >= data_.used()) continue;
      data_.release(unit.lives, r.physical);
      data_.take(unit.lives, first);
      r.physical = static_cast<uint8_t>(first);
    }
  }

  // Above 0: an odd register, since most of what is read beside the value lies in even ones; below 0: an even
  // one.
  int wanted_bank(uint32_t v) const {
    int odd = 0;
    for (const uint32_t other : partners_[v]) {
      const uint8_t at = g_.registers[other].physical;
      if (at < kFile - 1) odd += at % 2 == 0 ? 1 : -1;
    }
    return odd;
  }

  bool beyond(const Unit& unit, uint32_t limit) const {
    const VirtualRegister& r = g_.registers[unit.values.front()];
    return r.words != 0 && !r.uniform && r.physical + unit.lives.size() > limit;
  }

  void gather_units() {
    std::vector<uint8_t> done(lives_.of.size(), 0);
    for (uint32_t v = 0; v < lives_.of.size(); ++v) {
      if (lives_.of[v].at.empty() || done[v] != 0) continue;
      Unit unit;
      unit.values = group_of_[v] == UINT32_MAX ? std::vector<uint32_t>{v} : groups_[group_of_[v]];
      for (const uint32_t m : unit.values) {
        done[m] = 1;
        unit.lives.insert(unit.lives.end(), std::max<unsigned>(1, g_.registers[m].words), &lives_.of[m]);
        if (!lives_.of[m].at.empty()) unit.from = std::min(unit.from, lives_.of[m].at.front().from);
      }
      units_.push_back(std::move(unit));
    }
  }

  // A register of the other bank than those that the same operations read (two banks: even and odd numbers;
  // SASS of fma_ilp8 holds what it multiplies in R3 and all sums in even registers), where that stays within
  // the budget; else the first that is free.
  unsigned choose(const File& file, const Unit& unit) const {
    const size_t words = unit.lives.size();
    const uint32_t v = unit.values.front();
    const unsigned align = words > 2 ? 4 : words == 2 ? 2 : 1;
    if (lives_.across_call[v] != 0) {
      unsigned first = words == 1 ? file.find(unit.lives, 2, kFile) : kFile;  // R2 or none
      if (first >= kFile) first = file.find(unit.lives, kFirstKept, align);
      if (first < kFile) return first;
    }
    if (lives_.in_called[v] != 0) {  // what need not be saved comes first
      const unsigned first = file.find(unit.lives, 0, align);
      if (first > 2 || first + words <= 2) return first;
      return file.find(unit.lives, 3, align);
    }
    if (way_ == Way::kSpread && words == 1 && unit.values.size() == 1 && !partners_[v].empty()) {
      const int odd = wanted_bank(v);
      if (odd != 0 || partners_[v].size() >= 2) {
        const unsigned first = file.find(unit.lives, odd > 0 ? 1 : 0, 2);
        const bool often = std::any_of(partners_[v].begin(), partners_[v].end(),
                                       [&](uint32_t other) { return partners_[other].size() >= kOften; });
        const unsigned most = often ? target_ - kHidden : file.used() + 1;
        if (first < std::min(most, target_ - kHidden)) return first;
      }
    }
    if (way_ == Way::kFitting && &file == &data_ && target_ > kHidden) {
      const int odd = words == 1 && unit.values.size() == 1 ? wanted_bank(v) : 0;
      const unsigned first = file.find_best(unit.lives, target_ - kHidden, lives_.loaded[v] != 0, odd);
      if (first < kFile) return first;
    }
    return file.find(unit.lives, 0, align);
  }

  // Whether no order of the values keeps to the target. What finds no place in the whole file counts for
  // nothing below, so nothing is said where that may be: near the end of the file, or of wide values.
  bool cannot_fit() const {
    constexpr size_t kQuad = 4;
    if (way_ == Way::kTight || target_ + kQuad > kFile - kQuad) return false;
    const auto wide = [](const Unit& unit) { return unit.lives.size() > kQuad; };
    return std::none_of(units_.begin(), units_.end(), wide) && least_registers() > target_;
  }

  // What no order of the values can do without: those that live at one place.
  uint32_t least_registers() const {
    std::vector<std::pair<uint32_t, int>> changes;  // of words, by position
    for (uint32_t v = 0; v < lives_.of.size(); ++v) {
      const VirtualRegister& r = g_.registers[v];
      if (r.uniform || r.words == 0 || r.fixed != kNoRegister) continue;
      for (const Range& range : lives_.of[v].at) {
        changes.emplace_back(range.from, r.words);
        changes.emplace_back(range.to, -int{r.words});
      }
    }
    std::sort(changes.begin(), changes.end());  // an end comes in front of a begin at the same position
    int now = 0, most = 0;
    for (const auto& [at, words] : changes) most = std::max(most, now += words);
    return static_cast<uint32_t>(most) + 1 + kHidden;  // and the stack pointer
  }

  void note_unread(const Unit& unit, unsigned first) {
    for (const uint32_t v : unit.values) {
      for (const Range& range : lives_.unread[v]) {
        for (unsigned k = 0; k < g_.registers[v].words; ++k) data_.note_unread(first + k, range);
      }
      first += g_.registers[v].words;
    }
  }

  // Gives every unit its registers, in order; returns how many of the vector file are in use. Stops where
  // these are more than `most`.
  uint32_t place(uint32_t most = kFile) {
    data_.clear();
    predicates_.clear();
    uniforms_.clear();
    data_.block(kStackPointer);
    if (lives_.calls) {
      data_.block(kReturnAddress);
      data_.block(kReturnAddress + 1);
    }
    for (VirtualRegister& r : g_.registers) r.physical = kNoRegister;
    for (const Unit& unit : units_) {
      VirtualRegister& r = g_.registers[unit.values.front()];
      if (r.fixed == kNoRegister) continue;
      r.physical = r.fixed;
      if (r.fixed < kReturnAddress) data_.take(unit.lives, r.fixed);
    }
    place_sums();
    for (const Unit& unit : units_) {
      const VirtualRegister& r = g_.registers[unit.values.front()];
      if (r.physical != kNoRegister) continue;
      File& file = r.words == 0 ? predicates_ : r.uniform ? uniforms_ : data_;
      unsigned first = choose(file, unit);
      if (first < kFile) file.take(unit.lives, first);
      if (first < kFile && &file == &data_) note_unread(unit, first);
      for (const uint32_t m : unit.values) {
        g_.registers[m].physical = static_cast<uint8_t>(std::min(first, kFile - 1));
        if (first < kFile) first += std::max<unsigned>(1, g_.registers[m].words);
      }
      if (data_.used() > most) break;
    }
    return data_.used();
  }

  // In the order of their lives, whatever the order of the other values.
  void place_sums() {
    std::vector<const Unit*> sums;
    for (const Unit& unit : units_)
      if (unit.values.size() > 1 && sum_[unit.values.front()] != 0) sums.push_back(&unit);
    std::sort(sums.begin(), sums.end(), [](const Unit* x, const Unit* y) {
      return std::pair(x->from, x->values.front()) < std::pair(y->from, y->values.front());
    });
    for (const Unit* unit : sums) {
      unsigned at = data_.find(unit->lives, kFirstSum, kSumAlignment);
      if (at >= kFile) continue;  // then where there is room
      data_.take(unit->lives, at);
      for (const uint32_t v : unit->values) {
        g_.registers[v].physical = static_cast<uint8_t>(at);
        at += g_.registers[v].words;
      }
    }
  }

  void find_groups() {
    groups_ = consecutive_registers(g_);
    for (uint32_t k = 0; k < groups_.size(); ++k) {
      for (const uint32_t v : groups_[k]) group_of_[v] = k;
    }
    for (const std::vector<Node>& nodes : g_.blocks) {
      for (const Node& n : nodes) {
        if (!is_warpgroup_product(n.op) || n.defs.size() < 2) continue;
        for (const uint32_t v : n.defs) sum_[v] = g_.registers[v].fixed == kNoRegister ? 1 : 0;
      }
    }
  }

  Graph& g_;
  const std::vector<std::vector<uint32_t>>& partners_;
  Way way_;
  uint32_t target_;
  File data_{0}, predicates_{0}, uniforms_{4};  // UR0-3 are ptxas's own
  ValueLives lives_;
  std::vector<uint8_t> sum_ = std::vector<uint8_t>(g_.registers.size(), 0);  // of a warp group
  std::vector<std::vector<uint32_t>> groups_;                                // of virtual registers, in order
  std::vector<uint32_t> group_of_;
  std::vector<Unit> units_;
};

}  // namespace

uint32_t allocate_registers(Graph& g, const AllocationFacts& facts, uint32_t target) {
  for (const Way way : {Way::kSpread, Way::kFitting}) {
    const uint32_t used = Allocator(g, facts, way, target).run();
    if (used <= target) return used;
  }
  return Allocator(g, facts, Way::kTight, target).run();
}

}  // namespace gpuloom::ptx
