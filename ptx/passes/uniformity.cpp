// SPDX-License-Identifier: Apache-2.0
// A value is uniform if it is made of uniform things only: kernel parameters, constants, special registers
// that are the same for the warp, loads of parameters and constants at uniform addresses, waits for one phase
// of one mbarrier (ptxas puts no BSSY around the loop that waits: SASS of bulk_copy). It stops being so
// where divergent control decides which of several definitions reaches a place: at blocks that two ways out
// of a divergent branch lead to ("joins"), and behind a loop that lanes leave in different iterations. The
// analysis is flow-insensitive in registers: one verdict a row (conservative, exact enough for nvcc's code,
// which is nearly in static single assignment form). Similar in aim to Karrenberg & Hack, "Improving
// performance of OpenCL on CPUs", CC 2012.
#include "ptx/passes/uniformity.h"

#include <cstring>

#include "ptx/isa/table/use_of.h"
#include "ptx/passes/instr_questions.h"
#include "ptx/passes/pseudo.h"

namespace gpuloom::ptx {

namespace {

class Analysis {
 public:
  Analysis(const Program& p, const Flow& flow, const Liveness& live, const std::vector<uint32_t>& meets,
           Exchanges exchanges)
      : p_(p), flow_(flow), live_(live), meets_(meets), exchanges_(exchanges) {}

  Uniformity run() {
    out_.divergent_branch.assign(flow_.blocks.size(), 0);
    for (uint32_t f = 0; f < p_.functions.size(); ++f) {
      out_.divergent_row.emplace_back(live_.rows[f].offset.size(), 0);
      seed(f);
      while (pass(f)) {
      }
    }
    return std::move(out_);
  }

 private:
  bool divergent(uint32_t f, Place place) const {
    return place.present() && !place.constant() && out_.divergent_row[f][live_.number(f, place)] != 0;
  }
  bool mark(uint32_t f, uint32_t row) {
    if (out_.divergent_row[f][row] != 0) return false;
    out_.divergent_row[f][row] = 1;
    return true;
  }

  // Lane-dependent special registers; arguments of device functions, about which nothing is known.
  void seed(uint32_t f) {
    for (const SpecialRow& s : p_.functions[f].specials) {
      if (info(s.reg).kind == SpecialKind::kLane) mark(f, live_.number(f, s.place));
    }
    for (const CallValue& v : p_.functions[f].params) {
      if (v.row.present()) mark(f, live_.number(f, v.row));
    }
  }

  // Whether the results differ between lanes though the sources do not.
  bool makes_divergence(const Instr& in) const {
    if (is_mbarrier(class_of(in)) && in.space != Space::kParamFunction) {
      const std::string_view name = use_of(p_, in).form().instruction->mnemonic;
      return name != "mbarrier.try_wait" && name != "mbarrier.test_wait";
    }
    switch (in.kind) {
      case InstrKind::kPlain:  // nothing is known of arguments and results
        return in.space == Space::kParamFunction;
      case InstrKind::kLoad:
        return in.space != Space::kParam && in.space != Space::kConst;
      default:
        return true;  // atomics, shuffles, votes, clocks, calls: some of them are uniform, none needs to be
    }
  }

  // What makes one value of the values of all lanes: votes, reductions, and shuffles of one lane's value or
  // of a value that is the same everywhere (SASS of rate_shfl: of such a value there is no SHFL).
  bool unites(uint32_t f, const Instr& in) const {
    if (exchanges_ == Exchanges::kDivergent || in.kind != InstrKind::kWarpSync || divergent(f, in.guard))
      return false;
    switch (static_cast<OpClass>(in.op_class)) {
      case OpClass::vote:
      case OpClass::redux:
        return true;
      case OpClass::shfl:
        return !in.ops[1].present() && (!divergent(f, in.ops[2]) || reads_one_lane(f, in));
      default:
        return false;
    }
  }
  bool reads_one_lane(uint32_t f, const Instr& in) const {
    if (!use_of(p_, in).has(".idx")) return false;
    if (divergent(f, in.ops[3]) || !in.ops[4].constant()) return false;
    uint32_t clamp = 0;
    std::memcpy(&clamp, p_.constants.data() + static_cast<uint32_t>(~in.ops[4].at), sizeof clamp);
    return (clamp & 0x1f1f) == 31;  // segments of 32 lanes
  }

  bool pass(uint32_t f) {
    bool changed = false;
    for (uint32_t i = p_.functions[f].entry; i < p_.functions[f].end; ++i) {
      const Instr& in = p_.code[i];
      if (unites(f, in)) continue;
      bool lanes_differ = makes_divergence(in) || divergent(f, in.guard);
      for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1] && !lanes_differ; ++r) {
        if (!p_.refs[r].defines) lanes_differ = divergent(f, p_.refs[r].place);
      }
      if (!lanes_differ) continue;
      for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
        if (p_.refs[r].defines) changed |= mark(f, live_.number(f, p_.refs[r].place));
      }
    }
    for (uint32_t b = flow_.first_block[f]; b < flow_.first_block[f + 1]; ++b) {
      if (out_.divergent_branch[b] != 0 || !branch_diverges(f, b)) continue;
      out_.divergent_branch[b] = 1;
      changed |= spread(f, b);
    }
    return changed;
  }

  bool branch_diverges(uint32_t f, uint32_t b) const {
    const Instr& last = p_.code[flow_.blocks[b].last];
    if (splits(last)) return true;
    if (last.uniform != 0 || last.fn == skip_split) return false;
    const bool leaves_some = leaves_function(last) && last.guard.present();
    if (flow_.successors[b].size() < 2 && !leaves_some) return false;
    if (divergent(f, last.guard)) return true;
    return jumps_by_value(last) && divergent(f, last.ops[0]);
  }

  // The values that a divergent branch at the end of `b` makes divergent.
  bool spread(uint32_t f, uint32_t b) {
    const uint32_t meet = meets_[b];
    const uint32_t base = flow_.first_block[f];
    const uint32_t count = flow_.first_block[f + 1] - base;
    // Label each block with the way out of the branch that leads to it; a block with two labels is a join.
    constexpr uint32_t kNone = UINT32_MAX;
    std::vector<uint32_t> label(count, kNone);
    std::vector<uint8_t> join(count, 0);
    std::vector<uint32_t> work;
    const auto give = [&](uint32_t block, uint32_t value) {
      uint32_t& mine = label[block - base];
      if (mine == value) return;
      if (mine == kNone) {
        mine = value;
      } else {
        if (join[block - base] != 0) return;
        join[block - base] = 1;
        mine = block;  // what lies behind a join belongs to it
      }
      work.push_back(block);
    };
    for (const uint32_t s : flow_.successors[b]) give(s, count + s);
    while (!work.empty()) {
      const uint32_t block = work.back();
      work.pop_back();
      if (block == meet) continue;
      const uint32_t value = label[block - base];
      for (const uint32_t s : flow_.successors[block]) give(s, value);
    }
    return mark_joins(f, meet, label, join);
  }

  bool mark_joins(uint32_t f, uint32_t meet, const std::vector<uint32_t>& label,
                  const std::vector<uint8_t>& join) {
    const uint32_t base = flow_.first_block[f];
    RowSet defined(live_.rows[f].offset.size());
    for (uint32_t k = 0; k < label.size(); ++k) {
      if (label[k] == UINT32_MAX || base + k == meet) continue;
      const Block& block = flow_.blocks[base + k];
      for (uint32_t r = p_.ref_begin[block.first]; r < p_.ref_begin[block.last + 1]; ++r) {
        if (p_.refs[r].defines) defined.add(live_.number(f, p_.refs[r].place));
      }
    }
    bool changed = false;
    const auto mark_live = [&](uint32_t block) {
      live_.live_in[block].for_each([&](uint32_t row) {
        if (defined.has(row)) changed |= mark(f, row);
      });
    };
    for (uint32_t k = 0; k < join.size(); ++k) {
      if (join[k] != 0) mark_live(base + k);
    }
    if (meet != UINT32_MAX) mark_live(meet);
    return changed;
  }

  const Program& p_;
  const Flow& flow_;
  const Liveness& live_;
  const std::vector<uint32_t>& meets_;
  Exchanges exchanges_;
  Uniformity out_;
};

}  // namespace

Uniformity find_uniformity(const Program& program, const Flow& flow, const Liveness& liveness,
                           const std::vector<uint32_t>& post_dominator, Exchanges exchanges) {
  return Analysis(program, flow, liveness, post_dominator, exchanges).run();
}

}  // namespace gpuloom::ptx
