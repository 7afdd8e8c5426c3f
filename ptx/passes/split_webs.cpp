// SPDX-License-Identifier: Apache-2.0
// A register that holds several values one after another becomes several: definitions that reach a common use
// stay together (a web: Muchnick, "Advanced Compiler Design and Implementation", 16.3.3). nvcc's PTX is
// nearly so, but inline assembly, unrolled loops and loops for the rest write the same names again, and
// lowering asks of many patterns whether a value has one definition.
#include <map>
#include <numeric>
#include <vector>

#include "ptx/passes/draft.h"
#include "ptx/passes/edit.h"
#include "ptx/passes/flow.h"

namespace gpuloom::ptx {

namespace {

class WebSplitter {
 public:
  WebSplitter(Draft& d, const Flow& flow, const Liveness& live, uint32_t f)
      : d_(d), p_(d.program), flow_(flow), live_(live), f_(f), rows_(live.rows[f].offset.size()) {}

  void run() {
    pin();
    number_entries();
    refs_first_ = p_.ref_begin[p_.functions[f_].entry];
    web_of_ref_.assign(p_.ref_begin[p_.functions[f_].end] - refs_first_, UINT32_MAX);
    for (uint32_t b = flow_.first_block[f_]; b < flow_.first_block[f_ + 1]; ++b) walk(b);
    give_rows();
    rewrite();
  }

 private:
  // Rows that something other than instructions' operands names.
  void pin() {
    pinned_.assign(rows_, 0);
    const auto keep = [&](Place place) {
      if (place.present() && !place.constant()) pinned_[live_.number(f_, place)] = 1;
    };
    const FunctionCode& code = p_.functions[f_];
    for (const SpecialRow& s : code.specials) keep(s.place);
    for (const CallValue& v : code.params) keep(v.row);
    for (const CallValue& v : code.returns) keep(v.row);
    for (uint32_t i = code.entry; i < code.end; ++i) {
      for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
        const unsigned operand = p_.refs[r].operand;
        if (p_.code[i].kind == InstrKind::kCall || (operand > kInstrPlaces && operand != kBranchGuard))
          keep(p_.refs[r].place);
      }
    }
  }

  uint32_t make(uint32_t row) {
    parent_.push_back(static_cast<uint32_t>(parent_.size()));
    row_of_.push_back(row);
    return parent_.back();
  }
  uint32_t find(uint32_t w) {
    while (parent_[w] != w) w = parent_[w] = parent_[parent_[w]];
    return w;
  }
  void join(uint32_t a, uint32_t b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);  // values from before the function's begin come first
  }

  // A node for each row that lives into a block, the entry's first.
  void number_entries() {
    for (uint32_t b = flow_.first_block[f_]; b < flow_.first_block[f_ + 1]; ++b) {
      live_.live_in[b].for_each([&](uint32_t row) { entry_[{b, row}] = make(row); });
    }
  }

  // Whether the instruction reads what the definition overwrites through the same operand (wgmma).
  bool updates(uint32_t i, const OperandRef& def) const {
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      const OperandRef& ref = p_.refs[r];
      if (!ref.defines && ref.operand == def.operand && ref.element == def.element) return true;
    }
    return false;
  }

  void walk(uint32_t b) {
    std::map<uint32_t, uint32_t> now;  // by row
    live_.live_in[b].for_each([&](uint32_t row) { now[row] = entry_.at({b, row}); });
    for (uint32_t i = flow_.blocks[b].first; i <= flow_.blocks[b].last; ++i) {
      for (const bool defines : {false, true}) {
        for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
          const OperandRef& ref = p_.refs[r];
          if (ref.defines != defines || ref.place.constant()) continue;
          const uint32_t row = live_.number(f_, ref.place);
          const auto at = now.find(row);
          // A guarded write leaves the other lanes what they had; accumulators are read and written in one
          // place.
          const bool fresh = at == now.end() || (defines && !p_.code[i].guard.present() && !updates(i, ref));
          web_of_ref_[r - refs_first_] = fresh ? now[row] = make(row) : at->second;
        }
      }
    }
    for (const uint32_t s : flow_.successors[b]) {
      live_.live_in[s].for_each([&](uint32_t row) {
        const auto at = now.find(row);
        if (at != now.end()) join(at->second, entry_.at({s, row}));
      });
    }
  }

  void give_rows() {
    std::vector<uint8_t> taken(rows_, 0);
    place_.assign(parent_.size(), Place{});
    FunctionDraft& draft = d_.functions[f_];
    for (uint32_t w = 0; w < parent_.size(); ++w) {
      if (find(w) != w) continue;
      const uint32_t row = row_of_[w];
      if (pinned_[row] != 0 || taken[row] == 0) {
        place_[w] = Place::reg(live_.rows[f_].offset[row]);
      } else {
        const unsigned width = live_.rows[f_].bytes[row];
        place_[w] = Place::reg(draft.take_row(width == 0 ? 4 : width));
      }
      taken[row] = 1;
    }
    p_.functions[f_].frame_bytes = std::max(p_.functions[f_].frame_bytes, (draft.frame_bytes + 63) / 64 * 64);
  }

  void rewrite() {
    const FunctionCode& code = p_.functions[f_];
    for (uint32_t i = code.entry; i < code.end; ++i) {
      Instr& in = p_.code[i];
      if (in.kind == InstrKind::kCall) continue;
      for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
        OperandRef& ref = p_.refs[r];
        const uint32_t w = web_of_ref_[r - refs_first_];
        if (w == UINT32_MAX) continue;
        const Place to = place_[find(w)];
        if (to.at == ref.place.at) continue;
        ref.place = to;
        write_place(p_, in, ref);
      }
    }
  }

  Draft& d_;
  Program& p_;
  const Flow& flow_;
  const Liveness& live_;
  uint32_t f_;
  size_t rows_;
  uint32_t refs_first_ = 0;
  std::vector<uint8_t> pinned_;
  std::vector<uint32_t> parent_, row_of_;  // by node
  std::vector<Place> place_;               // by node that stands for its web
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> entry_;
  std::vector<uint32_t> web_of_ref_;
};

}  // namespace

void split_webs(Draft& d) {
  const Flow flow = build_flow(d.program);
  const Liveness live = find_liveness(d.program, flow);
  for (uint32_t f = 0; f < d.program.functions.size(); ++f) WebSplitter(d, flow, live, f).run();
}

}  // namespace gpuloom::ptx
