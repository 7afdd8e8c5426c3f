// SPDX-License-Identifier: Apache-2.0
// Integers of 8 and 16 bits in registers of 32. A load, a mask or a shift to the right leaves zeros above the
// value; behind other arithmetic there is whatever it left, which LOP3 clears, or PRMT replaces by the sign,
// in front of what looks at all bits: comparisons, products, shifts to the right. (SASS of single
// instructions, ptxas 13.0, sm_90.)
#include <algorithm>

#include "ptx/isa/table/use_of.h"
#include "ptx/machine/selector.h"

namespace gpuloom::ptx {

namespace {

constexpr unsigned kDeepest = 4;  // of what makes a value, as far as it is looked at

// Whether a load of `loaded` gives what extending the `size` lower bits with or without sign would give.
bool loads_extended(Type loaded, bool with_sign, unsigned size) {
  if (loaded == Type::kNone || is_float(loaded) || bits(loaded) > size) return false;
  return is_signed(loaded) == with_sign || (!is_signed(loaded) && bits(loaded) < size);
}

}  // namespace

// Whether the bits above the lower 16 of a value are what extension would make them.
bool Selector::is_extended(Place place, bool with_sign, unsigned depth) const {
  if (!place.present() || place.constant()) return true;
  const RowFacts* row = facts(place);  // a guarded load extends, too
  if (row == nullptr || row->defs != 1 || depth > kDeepest) return false;
  const uint32_t from = row->def;
  const Instr& in = p_.code[from];
  const auto operand = [&](unsigned k) { return is_extended(in.ops[k], with_sign, depth + 1); };
  if (in.kind == InstrKind::kLoad)
    return (in.vec <= 1 || bits(in.type) == 8) && loads_extended(in.type, with_sign, 16);
  if (in.kind != InstrKind::kPlain) return false;
  const std::string_view name = mnemonic(from);
  if (name == "mov") return shape(from) == Shape::kMove && operand(1);
  if (in.type == Type::kNone || bits(in.type) != 16) return false;
  if (name == "and") {
    const auto keeps = [&](unsigned k) {
      const Place mask = in.ops[k];
      return mask.constant() ? !with_sign || constant_bits(mask, 2) < 0x8000 : !with_sign && operand(k);
    };
    return keeps(1) || keeps(2);
  }
  if (name == "or" || name == "xor") return !with_sign && operand(1) && operand(2);
  if (name == "shr")
    return is_signed(in.type) ? with_sign : !with_sign || (in.ops[2].constant() && !is_zero(in.ops[2]));
  return name == "selp" && operand(1) && operand(2);
}

// cvt.u32.u16 of a value that has been extended already is nothing (SASS of dfa_match).
bool Selector::extends_as_loaded(uint32_t i) const {
  const Instr& in = p_.code[i];
  if (static_cast<OpClass>(in.op_class) != OpClass::prmt || mnemonic(i) != "cvt") return false;
  const uint32_t from = maker(in.ops[1]);
  if (from == UINT32_MAX || p_.code[from].vec > 1) return false;
  const FormUse use = use_of(p_, in);
  const Type read = use.type(".atype"), made = use.type(".dtype");
  if (read == Type::kNone || is_float(read) || made == Type::kNone || bits(made) < bits(read)) return false;
  if (p_.code[from].kind == InstrKind::kLoad)
    return loads_extended(p_.code[from].type, is_signed(read), bits(read)) && bits(read) <= 16;
  return bits(read) == 16 && is_extended(in.ops[1], is_signed(read), 0);
}

// The register with the extended value, made once a block.
void Selector::add_extended(uint32_t i, Place place, bool with_sign, std::vector<uint32_t>& uses,
                            std::vector<Node>& out) {
  if (is_extended(place, with_sign, 0)) return add_source(place, uses, 0);
  const std::pair<uint32_t, int32_t> key{g_.flow.block_of[i] * 2 + (with_sign ? 1 : 0), place.at};
  const auto [it, is_new] = extended_.try_emplace(key, 0);
  if (is_new || !stable(place)) {
    it->second = temporary(1);
    std::vector<uint32_t> source;
    add_source(place, source, 0);
    Node& n = push(out, with_sign ? OpClass::prmt : OpClass::lop3, i);
    n.uses = std::move(source);
    n.defs = {it->second};
  }
  if (std::find(uses.begin(), uses.end(), it->second) == uses.end()) uses.push_back(it->second);
}

// An operation that looks at all bits of operands of 16. Returns whether i is one.
bool Selector::emit_short(uint32_t i, std::vector<Node>& out) {
  const Instr& in = p_.code[i];
  if (in.kind != InstrKind::kPlain || in.type == Type::kNone || bits(in.type) != 16 || is_float(in.type) ||
      in.guard.present())
    return false;
  const std::string_view name = mnemonic(i);
  const bool unsigned_wide = name == "mul" && use_of(p_, in).has(".wide") && !is_signed(in.type);
  const bool looks = name == "setp" || name == "mul" || name == "mad" || name == "shr" || name == "abs";
  if (!looks || class_of(i) == OpClass::none || sequence_of(class_of(i)).size() != 1) return false;
  const bool ordered = (name == "setp" || name == "shr") && !is_signed(in.type) && in.type != Type::kB16;
  const bool with_sign = !unsigned_wide && !ordered;
  std::vector<uint32_t> uses;
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p_.refs[r];
    if (ref.defines) continue;
    if (ref.bytes == 2 && !ref.place.constant())
      add_extended(i, ref.place, with_sign, uses, out);
    else
      add_source(ref.place, uses, 0);
  }
  emit_sequence(i, {class_of(i)}, out);
  out.back().uses = std::move(uses);
  return true;
}

}  // namespace gpuloom::ptx
