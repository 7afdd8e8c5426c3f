// SPDX-License-Identifier: Apache-2.0
// Parameters come from the constant bank: ULDC where only arithmetic uses them, else LDC.
#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

namespace {

bool match_parameter_load(const Selection& s, uint32_t i) { return s.shape(i) == Shape::kParamLoad; }

void apply_parameter_load(const Selection& s, Emitter& out, uint32_t i) {
  const Instr& in = s.instr(i);
  const Program& p = s.program();
  Node& n = out.push(OpClass::ldc);
  n.carries = true;
  n.constant_operand = true;
  n.constant_offset = static_cast<uint16_t>(s.profile().constant_bank.parameters + in.imm);
  n.guarded = in.guard.present();
  if (n.guarded) s.add_source(in.guard, n.uses);
  bool arithmetic = true;
  for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r) {
    if (!p.refs[r].defines) continue;
    n.defs.push_back(s.value(p.refs[r].place));
    for (const auto& use : s.facts(p.refs[r].place)->uses) {
      arithmetic = arithmetic && s.instr(use.first).kind == InstrKind::kPlain &&
                   s.words(n.defs.back()) == 1 && s.stable(p.refs[r].place);
    }
  }
  n.uniform = arithmetic;
  if (!arithmetic) return;
  for (const uint32_t d : n.defs) out.make_uniform(d);
}

}  // namespace

extern const Rule kParameterLoad{"parameter_load", match_parameter_load, apply_parameter_load};

}  // namespace gpuloom::ptx
