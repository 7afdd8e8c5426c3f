// SPDX-License-Identifier: Apache-2.0
// Special registers that a block reads again, and what is computed of them again: inline assembly hides both
// from nvcc (each step of a cooperative group's shuffle asks for its lane and makes its mask anew), not from
// ptxas (SASS of cg_tiles: one S2R of SR_LANEID for thirteen).
#include <map>
#include <vector>

#include "ptx/isa/table/use_of.h"
#include "ptx/passes/draft.h"
#include "ptx/passes/edit.h"
#include "ptx/passes/flow.h"
#include "ptx/passes/instr_questions.h"
#include "ptx/passes/single_values.h"

namespace gpuloom::ptx {

namespace {

class Sharing {
 public:
  explicit Sharing(Program& p) : p_(p), edit_(p) {
    for (uint32_t f = 0; f < p.functions.size(); ++f) {
      for (const SpecialRow& s : p.functions[f].specials) specials_[{f, s.place.at}] = 1;
    }
  }

  void run() {
    const Flow flow = build_flow(p_);
    for (uint32_t f = 0; f < p_.functions.size(); ++f) {
      gather(f);
      for (uint32_t b = flow.first_block[f]; b < flow.first_block[f + 1]; ++b) walk(f, flow.blocks[b]);
    }
    if (changed_) apply(p_, edit_);
  }

 private:
  struct Row {
    uint32_t defs = 0;
    bool movable = true;               // all users are operands that can name another row
    std::vector<uint32_t> users;       // instructions
    int32_t value = INT32_MIN;         // row or constant that holds the same; itself by default
    uint32_t special_in = UINT32_MAX;  // block whose reads of special registers it is made of
  };

  void gather(uint32_t f) {
    rows_.clear();
    for (uint32_t i = p_.functions[f].entry; i < p_.functions[f].end; ++i) {
      for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
        const OperandRef& ref = p_.refs[r];
        if (ref.place.constant()) continue;
        Row& row = rows_[ref.place.at];
        const bool named = p_.code[i].kind != InstrKind::kCall && ref.operand <= kInstrPlaces;
        row.movable = row.movable && named;
        if (ref.defines)
          ++row.defs;
        else
          row.users.push_back(i);
      }
    }
    for (const CallValue& v : p_.functions[f].params) rows_[v.row.at].defs += 2;
    for (const CallValue& v : p_.functions[f].returns) rows_[v.row.at].movable = false;
  }

  // The row that i alone writes, of values that stay what they are; null where it is not so.
  Row* single_result(uint32_t i) {
    const Instr& in = p_.code[i];
    if (in.kind != InstrKind::kPlain || in.guard.present() || in.vec > 1 || has_carry(in)) return nullptr;
    Row* result = nullptr;
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      const OperandRef& ref = p_.refs[r];
      if (ref.element != 0xff || ref.operand >= kInstrPlaces) return nullptr;
      if (ref.defines) {
        if (result != nullptr || ref.operand != 0) return nullptr;
        result = &rows_[ref.place.at];
        if (result->defs != 1 || !result->movable) return nullptr;
      } else if (!ref.place.constant() && rows_[ref.place.at].defs > 1) {
        return nullptr;
      }
    }
    return result;
  }

  bool has_carry(const Instr& in) const {
    if (takes_no_work(in)) return true;
    const FormUse use = use_of(p_, in);
    return uses_carry(use) || use.form().instruction->mnemonic == "activemask";
  }

  int32_t value_of(Place place) {
    if (!place.present() || place.constant()) return place.at;
    const Row& row = rows_[place.at];
    return row.value == INT32_MIN ? place.at : row.value;
  }

  void walk(uint32_t f, const Block& block) {
    std::vector<uint32_t> seen;
    for (uint32_t i = block.first; i <= block.last; ++i) {
      Row* result = single_result(i);
      if (result == nullptr) continue;
      const Instr& in = p_.code[i];
      const bool moves = use_of(p_, in).form().instruction->mnemonic == "mov";
      bool special = false;
      for (size_t k = 1; k < kInstrPlaces; ++k) {
        const Place place = in.ops[k];
        if (!place.present() || place.constant()) continue;
        special = special || specials_.contains({f, place.at}) || rows_[place.at].special_in == block.first;
      }
      if (!special) {
        if (moves && in.ops[1].present() && in.ops[1].constant()) result->value = in.ops[1].at;
        continue;
      }
      result->special_in = block.first;
      uint32_t first = UINT32_MAX;
      for (const uint32_t k : seen)
        if (same(k, i)) first = k;
      if (first == UINT32_MAX) {
        seen.push_back(i);
        continue;
      }
      replace(*result, in.ops[0], p_.code[first].ops[0]);
      edit_.erase[i] = 1;
      changed_ = true;
    }
  }

  bool same(uint32_t a, uint32_t b) {
    const Instr &x = p_.code[a], &y = p_.code[b];
    if (x.fn != y.fn || x.op_class != y.op_class || x.type != y.type || x.imm != y.imm || x.aux != y.aux ||
        x.extra != y.extra)
      return false;
    for (size_t k = 1; k < kInstrPlaces; ++k)
      if (value_of(x.ops[k]) != value_of(y.ops[k])) return false;
    return true;
  }

  // All that read `from` read `to` instead.
  void replace(Row& row, Place from, Place to) {
    row.value = to.at;
    for (const uint32_t i : row.users) read_instead(p_, i, from, to);
    std::vector<uint32_t>& users = rows_[to.at].users;
    users.insert(users.end(), row.users.begin(), row.users.end());
  }

  Program& p_;
  Edit edit_;
  std::map<std::pair<uint32_t, int32_t>, uint8_t> specials_;
  std::map<int32_t, Row> rows_;  // of one function, by place
  bool changed_ = false;
};

}  // namespace

void share_special_values(Program& p) { Sharing(p).run(); }

}  // namespace gpuloom::ptx
