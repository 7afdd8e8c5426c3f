// SPDX-License-Identifier: Apache-2.0
// What the constants among its operands make of an operation: registers that they need, simpler sequences.
#include <algorithm>

#include "ptx/isa/table/form.h"
#include "ptx/isa/table/op_traits.h"
#include "ptx/isa/table/use_of.h"
#include "ptx/machine/selector.h"

namespace gpuloom::ptx {

// What the configuration expands a class to, or the class itself.
std::vector<OpClass> Selector::sequence_of(OpClass op) const {
  const std::vector<OpClass>& sequence = g_.model->sequence[static_cast<size_t>(op)];
  return sequence.empty() ? std::vector<OpClass>{op} : sequence;
}

// Of 64 bits: reversed each half, the first bit that is set looked for in the upper half and then in the
// lower (SASS of single instructions).
std::vector<OpClass> Selector::bits_of_pair(uint32_t i) const {
  const std::string_view name = mnemonic(i);
  if (name == "brev") return {OpClass::brev, OpClass::brev};
  if (name == "clz")
    return {OpClass::isetp, OpClass::sel, OpClass::flo, OpClass::iadd, OpClass::iadd, OpClass::imad};
  if (name != "bfind") return sequence_of(OpClass::bits64);
  if (!use_of(p_, p_.code[i]).has(".shiftamt"))
    return {OpClass::flo, OpClass::isetp, OpClass::iadd, OpClass::flo};
  return {OpClass::flo,  OpClass::flo, OpClass::isetp, OpClass::isetp,
          OpClass::iadd, OpClass::sel, OpClass::imad};
}

// The same for an instruction whose operands make it simpler: of fields at a known place ptxas makes
// SHF, SGXT and IMAD.SHL, LOP3 (dfa_match); doubles are chosen by FSEL.
std::vector<OpClass> Selector::sequence_for(uint32_t i, OpClass op) const {
  const Instr& in = p_.code[i];
  if (op == OpClass::sel64 && is_float(in.type)) return {OpClass::fsel, OpClass::fsel};
  // MUFU takes one half at a time (SASS of gelu_half2: MUFU.TANH.F16 twice, PRMT).
  if (op == OpClass::mufu && (in.type == Type::kF16x2 || in.type == Type::kBf16x2))
    return {OpClass::mufu, OpClass::mufu, OpClass::prmt};
  if (op == OpClass::tf32_away) {  // HMMA leaves out the last bits by itself, others see them masked
    std::vector<OpClass> sequence = sequence_of(op);
    const RowFacts* row = facts(in.ops[0]);
    if (!all_uses(*row, [&](uint32_t u, const OperandRef&) { return Selection(*this).takes_fragments(u); }))
      sequence.push_back(OpClass::lop3);
    return sequence;
  }
  if (op == OpClass::bits64) return bits_of_pair(i);
  // cvt.sat.f64.f64 is the larger of it and 0, and of that and 1 the smaller (ptxas: DSETP.MAX, DSETP.MIN).
  if (op == OpClass::f2f64 && bits(use_of(p_, in).type(".atype")) == 64 && bits(in.type) == 64 &&
      use_of(p_, in).has(".sat")) {
    std::vector<OpClass> sequence = sequence_of(OpClass::minmax_f64);
    const std::vector<OpClass> once = sequence;
    sequence.insert(sequence.end(), once.begin(), once.end());
    return sequence;
  }
  if (op != OpClass::bitfield) return sequence_of(op);
  const bool inserts = mnemonic(i) == "bfi";
  const Place at = in.ops[inserts ? 3 : 2], length = in.ops[inserts ? 4 : 3];
  const auto names_half = [&](Place place) {
    return place.present() && place.constant() && constant_bits(place, 4) == 32;
  };
  if (inserts && bits(in.type) == 64 && names_half(at) && names_half(length))
    return {OpClass::mov};  // a register for the upper half
  if (!at.present() || !at.constant() || !length.present() || !length.constant() || bits(in.type) != 32) {
    std::vector<OpClass> sequence = sequence_of(op);
    if (inserts && sequence.size() > 1) {  // a mask, and LOP3 joins where bfe cuts off (composites.csv)
      sequence.back() = OpClass::lop3;
      sequence.insert(sequence.end() - 2, OpClass::bmsk);
    }
    return sequence;
  }
  const OpClass joins = inserts ? OpClass::lop3 : OpClass::shift;
  if (is_zero(at)) return {joins};
  return {OpClass::shift, joins};
}

// Of the values that i reads, those that it names itself: once each, and none that a register holds.
void Selector::constants_of(uint32_t i, unsigned bytes, std::vector<uint64_t>& out, unsigned depth) const {
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p_.refs[r];
    if (ref.defines || ref.operand >= kInstrPlaces) continue;
    if (ref.place.constant()) {
      if (ref.bytes != bytes) continue;
      constexpr uint64_t kMinusZero = uint64_t{1} << 31;  // -RZ
      const uint64_t value = constant_bits(ref.place, bytes);
      if (value != 0 && value != kMinusZero && std::find(out.begin(), out.end(), value) == out.end())
        out.push_back(value);
      continue;
    }
    const uint32_t from = maker(ref.place);
    if (from != UINT32_MAX && folded(from) && depth < 8) constants_of(from, bytes, out, depth + 1);
  }
}

// The first of them, or 0 where there is none.
uint64_t Selector::immediate_of(uint32_t i) const {
  std::vector<uint64_t> values;
  for (const unsigned bytes : {4u, 8u}) constants_of(i, bytes, values, 0);
  return values.empty() ? 0 : values.front();
}

// An operation names one constant; further ones are moved to registers first, once a block and not in front
// of loops (SASS of precise_math, monte_carlo_pi, local_array).
void Selector::add_constants(uint32_t i, OpClass op, std::vector<uint32_t>& uses, std::vector<Node>& out) {
  if (is(op, kF64)) return add_wide_constants(i, uses, out);
  const bool pairs = op == OpClass::hfma2;
  if (op != OpClass::ffma && op != OpClass::fsel && op != OpClass::sel && op != OpClass::imad && !pairs)
    return;
  if (p_.code[i].kind != InstrKind::kPlain) return;
  std::vector<uint64_t> values;
  constants_of(i, 4, values, 0);
  if (pairs) constants_of(i, 2, values, 0);
  for (size_t k = 1; k < values.size(); ++k) {
    const auto [it, is_new] = constants_.try_emplace({g_.flow.block_of[i], values[k]}, 0);
    if (is_new) {
      it->second = temporary(1);
      push(out, OpClass::mov, i).defs = {it->second};
    }
    uses.push_back(it->second);
  }
}

// Those that are kept for several blocks: most named first, as far as the file goes (SASS of rdsmh_kernel of
// HeCBench's s3d: of 62 exponentials, each with constants of its own, the 13 that all share are kept).
void Selector::choose_kept_constants() {
  constexpr size_t kMostKept = 24;  // estimated: 29 pairs, and room for addresses and descriptors
  std::vector<uint64_t> order;      // as they come
  std::map<uint64_t, uint32_t> times;
  for (uint32_t i = code_.entry; i < code_.end; ++i) {
    if (p_.code[i].kind != InstrKind::kPlain || !is(class_of(i), kF64) || folded(i)) continue;
    std::vector<uint64_t> values;
    constants_of(i, 8, values, 0);
    for (const uint64_t value : values) {
      if (value << 32 != 0 && times[value]++ == 0) order.push_back(value);
    }
  }
  std::stable_sort(order.begin(), order.end(), [&](uint64_t a, uint64_t b) { return times[a] > times[b]; });
  if (order.size() > kMostKept) order.resize(kMostKept);
  kept_constants_.emplace(order.begin(), order.end());
}

// An immediate is the upper half of a double: one that has a lower half too stands in two uniform registers
// (SASS of verlet_f64, exp_f64: UMOV UR8, 0x9999999a; UMOV UR9, 0x3fb99999), for all blocks that come through
// the one that makes it where it is kept.
void Selector::add_wide_constants(uint32_t i, std::vector<uint32_t>& uses, std::vector<Node>& out) {
  // Before 9.0 such a constant is an operand in a bank of its own (SASS of exp_f64 for sm_75 to sm_89: DFMA
  // R8, R6, c[0x2][0x0], R2).
  if (p_.code[i].kind != InstrKind::kPlain || g_.model->profile.constant_operands) return;
  std::vector<uint64_t> values;
  constants_of(i, 8, values, 0);
  for (const uint64_t value : values) {
    if (value << 32 == 0) continue;
    if (!kept_constants_) choose_kept_constants();
    std::vector<WideConstant>& known = wide_constants_[value];
    const uint32_t own = g_.flow.block_of[i];
    const auto found = std::find_if(known.begin(), known.end(), [&](const WideConstant& c) {
      return c.block == own || (kept_constants_->count(value) != 0 && loops_.dominates(c.block, own));
    });
    uint32_t made = found == known.end() ? kNoVirtual : found->made;
    if (made == kNoVirtual) {
      made = temporary(1, true);
      known.push_back({own, made});
      const uint32_t upper = temporary(1, true);
      for (const uint32_t half : {upper, made}) {
        Node& n = push(out, OpClass::mov, i);
        n.uniform = true;
        n.defs = {half};
        if (half != upper) n.uses = {upper};
      }
    }
    uses.push_back(made);
  }
}

}  // namespace gpuloom::ptx
