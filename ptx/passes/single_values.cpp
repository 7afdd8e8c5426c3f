// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/single_values.h"

#include "ptx/isa/table/use_of.h"
#include "ptx/passes/edit.h"
#include "ptx/passes/instr_questions.h"

namespace gpuloom::ptx {

SingleValues::SingleValues(const Program& p) : p_(p), flow_(build_flow(p)) {
  repeats_.assign(flow_.blocks.size(), 0);
  for (uint32_t b = 0; b < flow_.blocks.size(); ++b) {
    for (const uint32_t s : flow_.successors[b]) {
      for (uint32_t k = s; k <= b; ++k) repeats_[k] = 1;  // every way round goes back in code order somewhere
    }
  }
}

void SingleValues::gather(const FunctionCode& f) {
  rows_.assign(f.frame_bytes / 4 + 1, {});
  for (const auto* values : {&f.params, &f.returns}) {
    for (const CallValue& v : *values) {
      if (!is_row(v.row)) continue;
      row(v.row).made = kMany;
      row(v.row).movable = false;
    }
  }
  for (uint32_t i = f.entry; i < f.end; ++i) {
    const Instr& in = p_.code[i];
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      const OperandRef& ref = p_.refs[r];
      if (ref.place.constant()) continue;
      Row& of = row(ref.place);
      if (ref.defines) {
        of.made = of.made == kNobody && !in.guard.present() ? i : kMany;
      } else {
        of.users.push_back(i);
        of.movable &=
            in.kind != InstrKind::kCall && (ref.operand <= kInstrPlaces || ref.operand == kBranchGuard);
      }
    }
  }
}

bool SingleValues::stays(Place place, uint32_t user) const {
  const uint32_t made = row(place).made;
  if (made == kNobody) return true;
  if (made == kMany) return false;
  return repeats_[flow_.block_of[made]] == 0 || (flow_.block_of[made] == flow_.block_of[user] && made < user);
}

bool is_plain(const Program& p, uint32_t i, std::string_view mnemonic) {
  const Instr& in = p.code[i];
  if (!is_computation(in) || in.guard.present() || in.vec > 1) return false;
  const FormUse use = use_of(p, in);
  return use.form().instruction->mnemonic == mnemonic && !uses_carry(use) && !use.has(".sat");
}

void read_instead(Program& p, uint32_t user, Place from, Place to) {
  Instr& in = p.code[user];
  for (uint32_t r = p.ref_begin[user]; r < p.ref_begin[user + 1]; ++r) {
    OperandRef& ref = p.refs[r];
    if (ref.defines || ref.place.at != from.at) continue;
    ref.place = to;
    write_place(p, in, ref);
  }
}

}  // namespace gpuloom::ptx
