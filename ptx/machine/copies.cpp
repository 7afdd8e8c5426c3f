// SPDX-License-Identifier: Apache-2.0
// A loop's variable and the value that it gets for the next round share a register if nobody reads the old
// value behind the instruction that makes the new one. Where somebody does, ptxas computes that first if it
// can (SASS of mandelbrot: FADD of the old value, then the FADD that replaces it, and no move).
#include <algorithm>
#include <numeric>

#include "ptx/machine/dependence.h"
#include "ptx/machine/facts.h"
#include "ptx/passes/edit.h"

namespace gpuloom::ptx {

namespace {

constexpr unsigned kMostMoved = 4;     // instructions that pass the new value's maker
constexpr unsigned kMostChanges = 64;  // of one kernel: each goes over the program once

class CopyOrderer {
 public:
  CopyOrderer(Graph& g, uint32_t b) : g_(g), p_(*g.program), b_(b), block_(g.flow.blocks[b]) {}

  // Brings readers of one variable in front; true if something changed.
  bool step() {
    for (uint32_t m = block_.first; m <= block_.last; ++m) {
      const Instr& in = p_.code[m];
      if (in.guard.present() || shape_of(p_, in) != Shape::kMove) continue;
      const Place to = in.ops[0], from = in.ops[1];
      if (!from.present() || from.constant() || to.at == from.at) continue;
      const uint32_t maker = last_definition(from, m);
      if (maker == UINT32_MAX) continue;
      const std::vector<uint32_t> readers = readers_between(to, maker, m);
      if (!readers.empty() && bring_forward(readers, maker)) return true;
    }
    return false;
  }

 private:
  bool touches(uint32_t i, Place place, bool defines) const {
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      if (p_.refs[r].place.at == place.at && p_.refs[r].defines == defines) return true;
    }
    return false;
  }

  uint32_t last_definition(Place place, uint32_t before) const {
    for (uint32_t i = before; i-- > block_.first;) {
      if (touches(i, place, true)) return p_.code[i].guard.present() ? UINT32_MAX : i;
    }
    return UINT32_MAX;
  }

  // None if the variable is written there.
  std::vector<uint32_t> readers_between(Place variable, uint32_t maker, uint32_t copy) const {
    std::vector<uint32_t> found;
    for (uint32_t i = maker + 1; i < copy; ++i) {
      if (touches(i, variable, true)) return {};
      if (touches(i, variable, false)) found.push_back(i);
    }
    return found;
  }

  bool bring_forward(const std::vector<uint32_t>& readers, uint32_t maker) {
    const auto before = block_dependences(g_, b_);
    std::vector<uint32_t> group = readers;
    for (size_t k = 0; k < group.size(); ++k) {
      if (p_.code[group[k]].kind != InstrKind::kPlain || group.size() > kMostMoved) return false;
      for (const uint32_t d : before[group[k] - block_.first]) {
        const uint32_t i = block_.first + d;
        if (i == maker) return false;
        if (i > maker && std::find(group.begin(), group.end(), i) == group.end()) group.push_back(i);
      }
    }
    std::sort(group.begin(), group.end());
    std::vector<uint32_t> order(p_.code.size());
    std::iota(order.begin(), order.end(), 0);
    const auto moves = [&](uint32_t i) { return std::binary_search(group.begin(), group.end(), i); };
    std::stable_partition(order.begin() + maker, order.begin() + group.back() + 1, moves);
    reorder(p_, order);
    return true;
  }

  Graph& g_;
  Program& p_;
  uint32_t b_;
  Block block_;
};

}  // namespace

void order_copies(Graph& g) {
  unsigned changes = 0;
  for (uint32_t b = 0; b < g.flow.blocks.size(); ++b) {
    while (changes < kMostChanges && CopyOrderer(g, b).step()) ++changes;
  }
}

}  // namespace gpuloom::ptx
