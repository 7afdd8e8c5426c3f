// SPDX-License-Identifier: Apache-2.0
// A load in front of a branch moves behind it where only one side needs what it loads, as ptxas 13.0 has it
// for sm_75 to sm_90 (bench/silicon/lowering/sinking.py): loads of global, read-only and shared memory do,
// one or ten of them, through any arithmetic. They stay where both sides need them, where a store stands
// between the load and the branch, and where they are volatile. A return that some threads take is such a
// branch. So comparisons of structures word by word load the words that they come to: cub's merge sort of
// keys of 120 bytes takes 17 registers, and 77 with all words loaded first.
#include <algorithm>
#include <vector>

#include "ptx/passes/draft.h"
#include "ptx/passes/edit.h"
#include "ptx/passes/flow.h"
#include "ptx/passes/late.h"
#include "ptx/passes/loop_nest.h"
#include "ptx/passes/single_values.h"

namespace gpuloom::ptx {

namespace {

class Sinking {
 public:
  explicit Sinking(Program& p) : p_(p), values_(p) {
    const Flow& flow = values_.flow();
    for (const Block& block : flow.blocks) {
      std::vector<uint32_t>& code = content_.emplace_back();
      for (uint32_t i = block.first; i <= block.last; ++i) code.push_back(i);
    }
    block_of_ = flow.block_of;
  }

  void run() {
    for (uint32_t f = 0; f < p_.functions.size(); ++f) {
      values_.gather(p_.functions[f]);
      const LoopNest loops(values_.flow(), f);
      for (uint32_t b = loops.first(); b < loops.end(); ++b) {
        for (const uint32_t s : values_.flow().successors[b])
          if (only_way(b, s, loops)) sink(b, s, loops);
      }
    }
    Edit edit(p_);
    bool changed = false;
    for (uint32_t b = 0; b < content_.size(); ++b) {
      for (const uint32_t i : content_[b]) {
        if (values_.flow().block_of[i] == b) continue;
        changed = true;
        edit.erase[i] = 1;
        edit.insert.push_back({values_.flow().blocks[b].first, p_.code[i], refs_of(p_, i), true});
      }
    }
    if (changed) apply(p_, edit);
  }

 private:
  // Some threads go one way, others another.
  bool parts(uint32_t b) const {
    const std::vector<uint32_t>& to = values_.flow().successors[b];
    const Instr& last = p_.code[values_.flow().blocks[b].last];
    return (to.size() == 2 && to[0] != to[1]) ||
           (to.size() == 1 && last.guard.present() && leaves_function(last));
  }

  // Whether s is a way that b's branch leaves, is reached from there alone, and is in b's loop.
  bool only_way(uint32_t b, uint32_t s, const LoopNest& loops) const {
    const Flow& flow = values_.flow();
    return parts(b) && s > b && flow.predecessors[s].size() == 1 && loops.leaf(s) == loops.leaf(b) &&
           loops.nest(s) == loops.nest(b);
  }

  void sink(uint32_t b, uint32_t s, const LoopNest& loops) {
    std::vector<uint32_t>& from = content_[b];
    for (size_t k = from.size() - 1; k-- > 0;) {
      const uint32_t i = from[k];
      const Instr& in = p_.code[i];
      if (in.kind == InstrKind::kPlain) continue;
      if (in.kind != InstrKind::kLoad || arrives_late(p_, in)) return;
      const bool of_memory = in.space != Space::kParam && in.space != Space::kConst;
      if (in.guard.present() || !of_memory || !needed_behind(i, s, loops)) continue;
      from.erase(from.begin() + static_cast<ptrdiff_t>(k));
      content_[s].insert(content_[s].begin(), i);
      block_of_[i] = s;
    }
  }

  // Whether all that reads what i loads comes behind s, and i loads there what it loads here.
  bool needed_behind(uint32_t i, uint32_t s, const LoopNest& loops) const {
    bool read = false;
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      const Place place = p_.refs[r].place;
      if (place.constant()) continue;
      if (!values_.made_once(place)) return false;
      if (!p_.refs[r].defines) continue;
      for (const uint32_t user : values_.row(place).users) {
        if (!loops.dominates(s, block_of_[user])) return false;
        read = true;
      }
    }
    return read;
  }

  Program& p_;
  SingleValues values_;
  std::vector<std::vector<uint32_t>> content_;  // by block
  std::vector<uint32_t> block_of_;              // by instruction, as it is now
};

}  // namespace

void sink_loads_behind_branches(Program& program) { Sinking(program).run(); }

}  // namespace gpuloom::ptx
