// SPDX-License-Identifier: Apache-2.0
// 64-bit values of which the lower half alone matters: because nobody reads the upper one (addresses of
// local, shared and constant memory have 32 bits in the machine; products that end in 32 bits), or because
// the upper one is known to be zero. ptxas computes them with 32-bit operations (SASS of local_array,
// constant_divergent, big_shared, lat_mul64).
#include <cstring>

#include "ptx/isa/table/form.h"
#include "ptx/machine/selector.h"

namespace gpuloom::ptx {

namespace {

// An asynchronous copy has addresses of two spaces, of which its space is one: what is of 64 bits stays so.
bool short_address(const Instr& in) {
  if (in.kind == InstrKind::kAsyncCopy) return false;
  return in.space == Space::kLocal || in.space == Space::kShared || in.space == Space::kConst ||
         in.space == Space::kSharedCluster || in.space == Space::kParamFunction;
}

}  // namespace

uint64_t Selector::constant_bits(Place constant, unsigned bytes) const {
  uint64_t value = 0;
  std::memcpy(&value, p_.constants.data() + static_cast<uint32_t>(~constant.at), bytes);
  return value;
}

std::string_view Selector::mnemonic(uint32_t i) const {
  const Instr& in = p_.code[i];
  if (in.kind == InstrKind::kReconverge || static_cast<OpClass>(in.op_class) == OpClass::none) return {};
  const InstrSource& source = p_.sources[in.source];
  return source.function->instructions[source.instruction].form->instruction->mnemonic;
}

// Whether i writes one row, and that as its first operand.
bool Selector::writes_one(uint32_t i) const {
  unsigned count = 0;
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    if (!p_.refs[r].defines) continue;
    if (p_.refs[r].operand != 0 || p_.refs[r].element != 0xff) return false;
    if (!p_.code[i].ops[0].present() || p_.code[i].ops[0].at != p_.refs[r].place.at)
      return false;  // a call's
    ++count;
  }
  return count == 1;
}

// x & 0xffffffff in 64 bits: the lower half with zeros above.
bool Selector::masks_upper(uint32_t i) const {
  const Instr& in = p_.code[i];
  return static_cast<OpClass>(in.op_class) == OpClass::logic64 && mnemonic(i) == "and" &&
         in.ops[1].present() && !in.ops[1].constant() && in.ops[2].constant() &&
         constant_bits(in.ops[2], 8) == 0xffff'ffffu;
}

// A shift to the right that leaves nothing of the lower half: 32 or more.
bool Selector::takes_upper(uint32_t i) const {
  const Instr& in = p_.code[i];
  return static_cast<OpClass>(in.op_class) == OpClass::shift64 && mnemonic(i) == "shr" &&
         !is_signed(in.type) && in.ops[1].present() && !in.ops[1].constant() && in.ops[2].constant() &&
         constant_bits(in.ops[2], 4) >= 32;
}

bool Selector::has_zero_upper(Place place) const {
  if (!place.present()) return false;
  if (place.constant()) return constant_bits(place, 8) >> 32 == 0;
  return zero_upper_[g_.liveness.number(f_, place)] != 0 && stable(place);
}

// Whether the upper half is a constant, which need not be computed: of matrix descriptors it is.
bool Selector::has_constant_upper(Place place, unsigned depth) const {
  constexpr unsigned kDeepest = 4;
  if (!place.present() || depth > kDeepest) return false;
  if (place.constant() || has_zero_upper(place)) return true;
  const uint32_t from = maker(place);
  if (from == UINT32_MAX || bytes_of_row(g_.liveness.number(f_, place)) != 8) return false;
  const Instr& in = p_.code[from];
  if (shape(from) == Shape::kMove) return has_constant_upper(moved(from), depth + 1);
  return static_cast<OpClass>(in.op_class) == OpClass::logic64 && mnemonic(from) != "not" &&
         has_constant_upper(in.ops[1], depth + 1) && has_constant_upper(in.ops[2], depth + 1);
}

// Whether instruction u needs only the lower half of what `ref` names.
bool Selector::needs_low_half(uint32_t u, const OperandRef& ref) const {
  const Instr& in = p_.code[u];
  if (is_descriptor(u, ref)) return has_constant_upper(ref.place, 0);
  if (masks_upper(u)) return true;
  if (ref.address && is_memory(in)) return short_address(in);
  if (ref.operand == 0 || ref.element != 0xff) return false;
  if (in.kind != InstrKind::kPlain || !writes_one(u)) return false;
  const uint32_t row = g_.liveness.number(f_, in.ops[0]);
  switch (shape(u)) {
    case Shape::kRename:
    case Shape::kMove:
    case Shape::kAdd64:
    case Shape::kSub64:
      return bytes_of_row(row) == 4 || low_only_[row] != 0;
    case Shape::kShl64:
      return ref.operand == 1 && low_only_[row] != 0;
    case Shape::kMadWide:
      return ref.operand == 3 && low_only_[row] != 0;
    default:
      break;
  }
  const auto op = static_cast<OpClass>(in.op_class);
  return (op == OpClass::mul64 || op == OpClass::logic64) && low_only_[row] != 0;
}

// x | c in 64 bits, where c has nothing in its lower half.
bool Selector::adds_upper_half(uint32_t i) const {
  const Instr& in = p_.code[i];
  return static_cast<OpClass>(in.op_class) == OpClass::logic64 && mnemonic(i) == "or" &&
         in.ops[1].present() && !in.ops[1].constant() && in.ops[2].constant() &&
         constant_bits(in.ops[2], 4) == 0;
}

bool Selector::makes_zero_upper(uint32_t i) const {
  const Instr& in = p_.code[i];
  const auto zero = [&](Place place) { return has_zero_upper(place); };
  switch (shape(i)) {
    case Shape::kExtend:
      return !is_signed(in.type) && !source_is_signed(i);
    case Shape::kMove:
    case Shape::kRename:
      return static_cast<OpClass>(in.op_class) != OpClass::none && in.ops[1].present() &&
             bits(in.type) == 64 && zero(in.ops[1]);
    default:
      break;
  }
  if (takes_upper(i)) return true;
  if (in.kind == InstrKind::kLoad && in.vec <= 1) return bits(in.type) <= 32 && !is_signed(in.type);
  if (static_cast<OpClass>(in.op_class) != OpClass::logic64) return false;
  const std::string_view name = mnemonic(i);
  if (name == "and") return zero(in.ops[1]) || zero(in.ops[2]);
  return (name == "or" || name == "xor") && zero(in.ops[1]) && zero(in.ops[2]);
}

void Selector::find_halves() {
  low_only_.assign(rows_.size(), 0);
  zero_upper_.assign(rows_.size(), 0);
  for (bool again = true; again;) {
    again = false;
    for (uint32_t i = code_.entry; i < code_.end; ++i) {
      const RowFacts* result = single_result(i);
      if (result == nullptr) continue;
      uint8_t& known = zero_upper_[g_.liveness.number(f_, p_.code[i].ops[0])];
      if (known != 0 || !makes_zero_upper(i)) continue;
      known = 1;
      again = true;
    }
  }
  for (uint32_t r = 0; r < rows_.size(); ++r)
    low_only_[r] = bytes_of_row(r) == 8 && !rows_[r].uses.empty() && rows_[r].defs != 0;
  for (bool again = true; again;) {
    again = false;
    for (uint32_t r = 0; r < rows_.size(); ++r) {
      if (low_only_[r] == 0) continue;
      if (all_uses(rows_[r], [&](uint32_t u, const OperandRef& ref) { return needs_low_half(u, ref); }))
        continue;
      low_only_[r] = 0;
      again = true;
    }
  }
}

void Selector::narrow() {
  find_halves();
  for (uint32_t i = code_.entry; i < code_.end; ++i) {
    if (!writes_one(i) || p_.code[i].ops[0].constant()) continue;
    const uint32_t row = g_.liveness.number(f_, p_.code[i].ops[0]);
    if (bytes_of_row(row) != 8) continue;
    const auto op = static_cast<OpClass>(p_.code[i].op_class);
    const auto become = [&](Shape s, OpClass as) {
      if (low_only_[row] != 0) g_.registers[base_ + row].words = 1;
      shape_[i - code_.entry] = s;
      fused_[i - code_.entry] = as;
    };
    // Sums of products with carries, as big numbers are multiplied (SASS of ptxas 13.0, sm_90a, 256-bit
    // Montgomery products): a product of two extended values is one IMAD.WIDE.U32, halves are read where they
    // are.
    if (low_only_[row] == 0) {
      if (op == OpClass::mul64 && mnemonic(i) == "mul" && has_zero_upper(p_.code[i].ops[1]) &&
          has_zero_upper(p_.code[i].ops[2]))
        become(Shape::kMulWide, OpClass::imad_wide);
      if (masks_upper(i)) {
        become(Shape::kExtend, OpClass::none);
        continue;
      }
      if (takes_upper(i)) {
        const bool all = constant_bits(p_.code[i].ops[2], 4) == 32;
        become(all ? Shape::kRename : Shape::kOther, all ? OpClass::mov : OpClass::shift);
        continue;
      }
    }
    if (low_only_[row] != 0 && adds_upper_half(i)) {
      become(Shape::kRename, OpClass::none);
      continue;
    }
    if (op == OpClass::logic64 && (low_only_[row] != 0 || zero_upper_[row] != 0))
      become(mnemonic(i) == "not" ? Shape::kNot32 : Shape::kLogic32, OpClass::lop3);
    if (low_only_[row] == 0) continue;
    switch (shape(i)) {
      case Shape::kExtend:
        become(Shape::kRename, OpClass::none);
        break;
      case Shape::kAdd64:
        become(Shape::kAdd32, OpClass::iadd);
        break;
      case Shape::kSub64:
        become(Shape::kSub32, OpClass::iadd);
        break;
      case Shape::kShl64:
        become(Shape::kShl32, OpClass::shift);
        break;
      case Shape::kMulWide:
        become(Shape::kMul32, OpClass::imad);
        break;
      case Shape::kMadWide:
        become(Shape::kMad32, OpClass::imad);
        break;
      default:
        if (op == OpClass::shift64 && mnemonic(i) == "shr") become(Shape::kOther, OpClass::shift);
        if (op == OpClass::mul64 && mnemonic(i) == "mul") become(Shape::kMul32, OpClass::imad);
        break;
    }
  }
}

}  // namespace gpuloom::ptx
