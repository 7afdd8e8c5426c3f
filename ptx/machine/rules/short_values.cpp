// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/rules/short_values.h"

#include "ptx/isa/table/use_of.h"

namespace gpuloom::ptx {

namespace {

constexpr unsigned kDeepest = 4;  // of what makes a value, as far as it is looked at

// Whether a load of `loaded` gives what extending the `size` lower bits with or without sign would give.
bool loads_extended(Type loaded, bool with_sign, unsigned size) {
  if (loaded == Type::kNone || is_float(loaded) || bits(loaded) > size) return false;
  return is_signed(loaded) == with_sign || (!is_signed(loaded) && bits(loaded) < size);
}

// Whether it is a byte of a register and zeros (Triton: prmt.b32 %r33, %r32, 0, 0x7770).
bool is_one_byte(const Selection& s, Place place) {
  const uint32_t from = s.maker(place);
  if (from == UINT32_MAX || s.mnemonic(from) != "prmt" || !s.use(from).mod(".mode").empty()) return false;
  const Place zeros = s.instr(from).ops[2], selector = s.instr(from).ops[3];
  if (!zeros.constant() || !s.is_zero(zeros) || !selector.constant()) return false;
  constexpr uint64_t kOfZeros =
      0x4440;  // of each nibble but the first the bit that chooses the second operand
  return (s.constant_bits(selector, 4) & kOfZeros) == kOfZeros;
}

bool is_extended(const Selection& s, Place place, bool with_sign, unsigned depth) {
  if (!place.present() || place.constant()) return true;
  const RowFacts* row = s.facts(place);  // a guarded load extends, too
  if (row == nullptr || row->defs != 1 || depth > kDeepest) return false;
  const uint32_t from = row->def;
  const Instr& in = s.instr(from);
  const auto operand = [&](unsigned k) { return is_extended(s, in.ops[k], with_sign, depth + 1); };
  if (in.kind == InstrKind::kLoad)
    return (in.vec <= 1 || bits(in.type) == 8) && loads_extended(in.type, with_sign, 16);
  if (in.kind != InstrKind::kPlain) return false;
  const std::string_view name = s.mnemonic(from);
  if (name == "mov") return s.shape(from) == Shape::kMove && operand(1);
  if (name == "cvt") return s.shape(from) == Shape::kRename && is_one_byte(s, in.ops[1]);
  if (in.type == Type::kNone || bits(in.type) != 16) return false;
  if (name == "and") {
    const auto keeps = [&](unsigned k) {
      const Place mask = in.ops[k];
      return mask.constant() ? !with_sign || s.constant_bits(mask, 2) < 0x8000 : !with_sign && operand(k);
    };
    return keeps(1) || keeps(2);
  }
  if (name == "or" || name == "xor") return !with_sign && operand(1) && operand(2);
  if (name == "shr")
    return is_signed(in.type) ? with_sign : !with_sign || (in.ops[2].constant() && !s.is_zero(in.ops[2]));
  return name == "selp" && operand(1) && operand(2);
}

}  // namespace

bool is_extended(const Selection& s, Place place, bool with_sign) {
  return is_extended(s, place, with_sign, 0);
}

bool extends_as_loaded(const Selection& s, uint32_t i) {
  if (s.op_class(i) != OpClass::prmt || s.mnemonic(i) != "cvt") return false;
  const uint32_t from = s.maker(s.instr(i).ops[1]);
  if (from == UINT32_MAX || s.instr(from).vec > 1) return false;
  const FormUse use = s.use(i);
  const Type read = use.type(".atype"), made = use.type(".dtype");
  if (read == Type::kNone || is_float(read) || made == Type::kNone || bits(made) < bits(read)) return false;
  if (s.instr(from).kind == InstrKind::kLoad)
    return loads_extended(s.instr(from).type, is_signed(read), bits(read)) && bits(read) <= 16;
  return bits(read) == 16 && is_extended(s, s.instr(i).ops[1], is_signed(read));
}

}  // namespace gpuloom::ptx
