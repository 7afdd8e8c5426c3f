// SPDX-License-Identifier: Apache-2.0
// An operation that looks at all bits of operands of 16: comparisons, products, shifts to the right. In front
// of it LOP3 clears what stands above them, or PRMT replaces it by the sign (SASS of single instructions,
// ptxas 13.0, sm_90).
#include <algorithm>

#include "ptx/machine/rules/short_values.h"

namespace gpuloom::ptx {

namespace {

bool match_short_operation(const Selection& s, uint32_t i) {
  const Instr& in = s.instr(i);
  if (in.kind != InstrKind::kPlain || in.type == Type::kNone || bits(in.type) != 16 || is_float(in.type) ||
      in.guard.present())
    return false;
  const std::string_view name = s.mnemonic(i);
  const bool looks = name == "setp" || name == "mul" || name == "mad" || name == "shr" || name == "abs";
  return looks && s.class_now(i) != OpClass::none && s.sequence_of(s.class_now(i)).size() == 1;
}

// The register with the extended value, made once a block.
void add_extended(const Selection& s, Emitter& out, uint32_t i, Place place, bool with_sign,
                  std::vector<uint32_t>& uses) {
  if (is_extended(s, place, with_sign)) return s.add_source(place, uses);
  const auto [known, is_new] = out.once(Made::kExtended, {s.block_of(i), with_sign ? 1 : 0, place.at});
  if (is_new || !s.stable(place)) {
    const uint32_t made = out.temporary(1);
    const std::vector<uint32_t> source = out.source(place);
    Node& n = out.push(with_sign ? OpClass::prmt : OpClass::lop3);
    n.uses = source;
    n.defs = {made};
    known = {made};
  }
  if (std::find(uses.begin(), uses.end(), known[0]) == uses.end()) uses.push_back(known[0]);
}

void apply_short_operation(const Selection& s, Emitter& out, uint32_t i) {
  const Instr& in = s.instr(i);
  const Program& p = s.program();
  const std::string_view name = s.mnemonic(i);
  const bool unsigned_wide = name == "mul" && s.use(i).has(".wide") && !is_signed(in.type);
  const bool ordered = (name == "setp" || name == "shr") && !is_signed(in.type) && in.type != Type::kB16;
  const bool with_sign = !unsigned_wide && !ordered;
  std::vector<uint32_t> uses;
  for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p.refs[r];
    if (ref.defines) continue;
    if (ref.bytes == 2 && !ref.place.constant())
      add_extended(s, out, i, ref.place, with_sign, uses);
    else
      s.add_source(ref.place, uses);
  }
  out.sequence({s.class_now(i)});
  out.last().uses = std::move(uses);
}

}  // namespace

extern const Rule kShortOperation{"short_operation", match_short_operation, apply_short_operation};

}  // namespace gpuloom::ptx
