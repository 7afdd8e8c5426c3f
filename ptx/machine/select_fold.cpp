// SPDX-License-Identifier: Apache-2.0
// What vanishes and fuses.
#include <algorithm>

#include "ptx/isa/table/form.h"
#include "ptx/machine/selector.h"

namespace gpuloom::ptx {

void Selector::take(uint32_t user, OpClass as) {
  capacity_[user - code_.entry] = 1;
  if (as != OpClass::none) fused_[user - code_.entry] = as;
}

void Selector::fold_into(uint32_t i, const RowFacts& result, OpClass as) {
  folded_[i - code_.entry] = 1;
  for (const auto& use : result.uses) take(use.first, as);
}

bool Selector::used_by(const RowFacts& row, Shape wanted) const {
  return all_uses(
      row, [&](uint32_t u, const OperandRef&) { return shape(u) == wanted && can_take(u) && !folded(u); });
}

// IMAD adds a product to anything; it subtracts from it, and takes it from another value where one factor is
// a constant, whose sign it changes (SASS of indirect_calls: x - x / 3 * 3).
bool Selector::takes_product(uint32_t product, uint32_t user, const OperandRef& ref) const {
  if (folded(user) || !can_take(user)) return false;
  if (shape(user) == Shape::kAdd32) return true;
  if (shape(user) != Shape::kSub32) return false;
  const Instr& in = p_.code[product];
  return ref.operand == 1 || (in.ops[1].present() && in.ops[1].constant()) ||
         (in.ops[2].present() && in.ops[2].constant());
}

bool Selector::address_only(const RowFacts& row) const {
  return all_uses(row,
                  [&](uint32_t u, const OperandRef& ref) { return ref.address && is_memory(p_.code[u]); });
}

unsigned Selector::distinct_sources(uint32_t i) {
  std::vector<uint32_t> list;
  sources(i, list);
  unsigned constants = 0;
  for (unsigned k = 1; k < 3; ++k)
    constants += p_.code[i].ops[k].present() && p_.code[i].ops[k].constant() ? 1 : 0;
  return static_cast<unsigned>(list.size()) + constants;
}

// p ? x op y : x, where x is needed no longer, is `@p x = x op y` (SASS of bswap_crc: @P0 LOP3). Returns
// whether i, which makes x op y, went into the choice.
bool Selector::fold_choice(uint32_t i, const RowFacts& result) {
  const Shape s = shape(i);
  if (s != Shape::kLogic32 && s != Shape::kAdd32 && s != Shape::kSub32) return false;
  if (result.uses.size() != 1 || capacity_[i - code_.entry] != 0) return false;
  const auto& [user, ref] = result.uses[0];
  if (mnemonic(user) != "selp" || bits(p_.code[user].type) != 32 || !can_take(user) || folded(user) ||
      p_.code[user].guard.present() || (ref->operand != 1 && ref->operand != 2))
    return false;
  const Place other = p_.code[user].ops[ref->operand == 1 ? 2 : 1];
  const bool source =
      !other.constant() && (p_.code[i].ops[1].at == other.at || p_.code[i].ops[2].at == other.at);
  if (!source || maker(other) == UINT32_MAX || folded(maker(other))) return false;
  const bool ends = all_uses(*facts(other), [&, last = user](uint32_t u, const OperandRef&) {
    return u <= last && g_.flow.block_of[u] == g_.flow.block_of[last];
  });
  if (!ends || g_.flow.block_of[maker(other)] != g_.flow.block_of[user]) return false;
  fold_into(i, result, class_of(i));
  return true;
}

// LEA.HI.X.SX32 extends what it adds; for several sums of the same block the upper half is made once (SASS of
// copy_u8: SHF.R.S32.HI, IADD3, IADD3.X, IADD3, IADD3.X) and not kept for others.
unsigned Selector::sums_beside(uint32_t i, const RowFacts& row) const {
  return static_cast<unsigned>(std::count_if(row.uses.begin(), row.uses.end(), [&](const auto& use) {
    return (shape(use.first) == Shape::kAdd64 || shape(use.first) == Shape::kSub64) &&
           g_.flow.block_of[use.first] == g_.flow.block_of[i];
  }));
}

void Selector::fold(uint32_t i) {
  const Instr& in = p_.code[i];
  const RowFacts* result = single_result(i);
  const auto here = [&] { folded_[i - code_.entry] = 1; };
  if (result != nullptr && makes_constant(i, *result)) {
    if (shape(i) == Shape::kOther) shape_[i - code_.entry] = Shape::kRename;
    return here();
  }
  switch (shape(i)) {
    case Shape::kRename:
      if (result != nullptr && stable_sources(i) && !(takes_upper(i) && joins_product(*result))) here();
      return;
    case Shape::kMove:
      fold_move(i, result);
      return;
    case Shape::kPack:
      fold_pack(i);
      return;
    case Shape::kNotPred:
      if (result != nullptr && stable_sources(i)) here();
      return;
    default:
      break;
  }
  if (result == nullptr || !stable_sources(i) || fold_choice(i, *result)) return;
  switch (shape(i)) {
    case Shape::kExtend:
      if (!is_signed(in.type) && !source_is_signed(i)) {
        if (!joins_product(*result)) here();
        return;
      }
      if (sums_beside(i, *result) <= 1 && all_uses(*result, [&](uint32_t u, const OperandRef&) {
            return shape(u) == Shape::kShl64 || shape(u) == Shape::kSub64 ||
                   (shape(u) == Shape::kAdd64 && !adds_product(u));
          })) {
        here();
      }
      return;
    case Shape::kMulWide:
      if (used_by(*result, Shape::kAdd64)) fold_into(i, *result, OpClass::imad_wide);
      return;
    case Shape::kShl64: {
      if (fold_rotation(i, *result)) return;
      if (!in.ops[2].constant() || !used_by(*result, Shape::kAdd64)) return;
      const uint32_t from = maker(in.ops[1]);
      const bool narrow = from != UINT32_MAX && shape(from) == Shape::kExtend && folded(from);
      fold_into(i, *result, narrow ? OpClass::imad_wide : OpClass::none);
      return;
    }
    case Shape::kAdd64:
      if (adds_nothing(i)) return here();
      if (in.ops[2].constant() && can_take(i) && address_only(*result)) here();
      return;
    case Shape::kMul32:
      if (all_uses(*result, [&](uint32_t u, const OperandRef& ref) { return takes_product(i, u, ref); }))
        fold_into(i, *result, OpClass::imad);
      return;
    case Shape::kShl32:
      if (in.ops[2].constant() && (used_by(*result, Shape::kAdd32) || joins_low_bits(i, *result)))
        fold_into(i, *result, OpClass::lea);
      return;
    case Shape::kCountZeros:  // 31 - FLO: the subtraction goes into an addition that follows
      if (result->uses.size() == 1 && used_by(*result, Shape::kAdd32)) {
        take(result->uses[0].first, OpClass::none);
        fused_[i - code_.entry] = OpClass::flo;
      }
      return;
    case Shape::kAdd32:
      if (adds_nothing(i)) return here();
      if (can_take(i) && address_only(*result) && (in.ops[2].constant() || has_uniform_base(i)))
        return here();
      if (only_moves_base(i, *result)) return here();
      if (joins_minimum(i, *result)) return fold_into(i, *result, OpClass::none);
      if (result->uses.size() == 1 && can_take(i) && used_by(*result, Shape::kAdd32) &&
          distinct_sources(i) <= 2) {
        fold_into(i, *result, adds_same_parameter(i, result->uses[0].first) ? OpClass::lea : OpClass::none);
      }
      return;
    case Shape::kSub32:
    case Shape::kMinMax32:
      if (shape(i) == Shape::kMinMax32 && chosen_with_its_opposite(i, *result))
        fold_into(i, *result, primitive(in.op_class));
      else if (joins_minimum(i, *result))
        fold_into(i, *result, OpClass::none);
      return;
    case Shape::kLogic32:
    case Shape::kNot32:
    case Shape::kLogic64:
    case Shape::kNot64:
      fold_logic(i, *result);
      return;
    // LEA.HI adds the upper bits of a register to another: x + (y >> k), in each sum anew (SASS of CUB's
    // padding of shared memory, of a division by a power of two).
    case Shape::kShr32:
      if (used_by(*result, Shape::kAdd32)) fold_into(i, *result, OpClass::lea);
      return;
    case Shape::kFunnel:  // LEA.HI adds to what two registers give when they are shifted as one (SASS of MD5)
      if (result->uses.size() == 1 && used_by(*result, Shape::kAdd32)) fold_into(i, *result, OpClass::lea);
      return;
    case Shape::kSetp:
      if (result->uses.size() == 1 && used_by(*result, Shape::kLogicPred)) {
        fold_into(i, *result, primitive(in.op_class));
      }
      return;
    case Shape::kSelect:
      if (chooses_copy(i, *result)) here();
      return;
    case Shape::kFloat:
      if (saturated(i, *result)) fold_into(i, *result, primitive(in.op_class));
      return;
    case Shape::kFloatSign:
      if (all_uses(*result, [&](uint32_t u, const OperandRef& ref) { return takes_sign(u, ref, 0); })) here();
      return;
    default:
      return;
  }
}

// FADD, FMUL and FFMA bound their result to 0 and 1 (SASS of expf: FFMA.SAT).
bool Selector::saturated(uint32_t i, const RowFacts& result) const {
  const Instr& in = p_.code[i];
  if (result.uses.size() != 1 || in.type != Type::kF32 || in.guard.present()) return false;
  const uint32_t user = result.uses[0].first;
  const std::string_view name = mnemonic(i);
  if (name != "add" && name != "sub" && name != "mul" && name != "fma" && name != "mad") return false;
  return g_.flow.block_of[user] == g_.flow.block_of[i] && !p_.code[user].guard.present() &&
         used_by(result, Shape::kSaturate);
}

// x + p + p: no instruction has two operands in the constant bank, so ptxas adds twice the parameter, with
// LEA or IMAD (SASS of lat_iadd, rate_mix).
bool Selector::adds_same_parameter(uint32_t i, uint32_t user) const {
  for (unsigned k = 1; k < 3; ++k) {
    const Place p = p_.code[i].ops[k];
    const uint32_t from = maker(p);
    if (from == UINT32_MAX || shape(from) != Shape::kParamLoad) continue;
    if (p_.code[user].ops[1].at == p.at || p_.code[user].ops[2].at == p.at) return true;
  }
  return false;
}

// IMAD.WIDE adds a pair of registers, so the upper half of an extended value is made for it (SASS of
// transpose_naive; of 256-bit products: an upper half that becomes a lower one is moved, too); IADD3 and
// LEA.HI.X.SX32 extend what they add.
bool Selector::adds_product(uint32_t i) const {
  for (unsigned k = 1; k < 3; ++k) {
    const uint32_t from = maker(p_.code[i].ops[k]);
    if (from == UINT32_MAX || shape(from) != Shape::kMulWide) continue;
    const RowFacts* product = facts(p_.code[i].ops[k]);
    if (folded(from) || used_by(*product, Shape::kAdd64)) return true;
  }
  return false;
}

// VIADDMNMX takes the minimum of a sum or difference and a third value, VIMNMX3 of three values; one of them
// may be an immediate (SASS of floyd_tile, sobel_u8).
bool Selector::joins_minimum(uint32_t i, const RowFacts& result) const {
  if (!g_.model->profile.minimum_of_sum) return false;
  if (result.uses.size() != 1 || !can_take(i) || !used_by(result, Shape::kMinMax32)) return false;
  const uint32_t user = result.uses[0].first;
  const bool same_kind = mnemonic(i) == mnemonic(user) && p_.code[i].type == p_.code[user].type;
  if (shape(i) == Shape::kMinMax32 && !same_kind) return false;
  unsigned immediates = 0;
  for (const uint32_t k : {i, user}) {
    for (const Place place : {p_.code[k].ops[1], p_.code[k].ops[2]})
      immediates += place.present() && place.constant() && !is_zero(place) ? 1 : 0;
  }
  return immediates <= 1;
}

bool Selector::joins_product(const RowFacts& row) const {
  return std::any_of(row.uses.begin(), row.uses.end(), [&](const auto& use) {
    return shape(use.first) == Shape::kAdd64 && adds_product(use.first);
  });
}

bool Selector::adds_nothing(uint32_t i) const {
  const Place by = p_.code[i].ops[2];
  return by.constant() && constant_bits(by, bytes(p_.code[i].type)) == 0;
}

// A variable and a distance: part of the addresses that add a register to it, [R + UR + distance] (SASS of a
// CRC by eight tables).
bool Selector::only_moves_base(uint32_t i, const RowFacts& result) const {
  return p_.code[i].ops[2].constant() && has_uniform_base(i) &&
         all_uses(result, [&](uint32_t u, const OperandRef& ref) {
           if (ref.address) return is_memory(p_.code[u]);
           const RowFacts* sum = shape(u) == Shape::kAdd32 && can_take(u) ? single_result(u) : nullptr;
           return sum != nullptr && !p_.code[u].ops[2].constant() && address_only(*sum);
         });
}

bool Selector::has_uniform_base(uint32_t i) const {
  for (unsigned k = 1; k < 3; ++k) {
    uint32_t from = maker(p_.code[i].ops[k]);
    if (from != UINT32_MAX && shape(from) == Shape::kAdd32 && folded(from))
      from = maker(p_.code[from].ops[1]);
    if (from == UINT32_MAX || shape(from) != Shape::kMove || !p_.code[from].ops[1].constant()) continue;
    const Variable* v = symbol_of(from);
    if (v != nullptr && (v->space == Space::kShared || v->space == Space::kConst)) return true;
  }
  return false;
}

// x << k | y where y has k bits at most is a sum (SASS of warp_scan_rows: IMAD R9, R7, 0x20, R0).
bool Selector::joins_low_bits(uint32_t i, const RowFacts& result) const {
  const uint64_t shift = constant_bits(p_.code[i].ops[2], 4);
  return all_uses(result, [&](uint32_t u, const OperandRef& ref) {
    if (shape(u) != Shape::kLogic32 || mnemonic(u) != "or" || !can_take(u) || folded(u)) return false;
    const uint32_t low = maker(p_.code[u].ops[ref.operand == 1 ? 2 : 1]);
    if (low == UINT32_MAX || shape(low) != Shape::kLogic32 || mnemonic(low) != "and") return false;
    const Place mask = p_.code[low].ops[2];
    return mask.constant() && shift < 32 && constant_bits(mask, 4) >> shift == 0;
  });
}

// Whether user and all that it has taken, i too, look at three values at most, of which one may be a
// constant: LOP3 computes any function of three (SASS of MD5, edit_distance: (b & c) | (~b & d)).
bool Selector::joins_three(uint32_t i, uint32_t user) {
  if (fused_[user - code_.entry] == OpClass::lea) return false;
  std::vector<uint32_t> all;
  sources(user, all);
  std::erase(all, find(virtual_of(p_.code[i].ops[0])));
  sources(i, all);
  std::sort(all.begin(), all.end());
  const auto values = static_cast<size_t>(std::unique(all.begin(), all.end()) - all.begin());
  std::vector<uint64_t> constants;
  size_t wide_constants = 0;
  for (const uint32_t k : {i, user}) {
    constants_of(k, 4, constants, 0);
    for (uint32_t r = p_.ref_begin[k]; r < p_.ref_begin[k + 1]; ++r)
      wide_constants += !p_.refs[r].defines && p_.refs[r].place.constant() && p_.refs[r].bytes == 8 ? 1 : 0;
  }
  return constants.size() <= 1 && wide_constants == 0 && values + constants.size() <= 3;
}

// selp of the lesser and the greater of the same two: VIMNMX, and a VIMNMX under the predicate over it (SASS
// of a sort through shuffles).
bool Selector::chosen_with_its_opposite(uint32_t i, const RowFacts& result) const {
  if (result.uses.size() != 1 || !used_by(result, Shape::kSelect)) return false;
  const OperandRef& ref = *result.uses[0].second;
  if (ref.operand != 1 && ref.operand != 2) return false;
  const uint32_t other = maker(p_.code[result.uses[0].first].ops[ref.operand == 1 ? 2 : 1]);
  if (other == UINT32_MAX || other == i || shape(other) != Shape::kMinMax32 || folded(other)) return false;
  const RowFacts* theirs = single_result(other);
  if (theirs == nullptr || theirs->uses.size() != 1 || mnemonic(other) == mnemonic(i)) return false;
  const Instr &a = p_.code[i], &b = p_.code[other];
  return (a.ops[1].at == b.ops[1].at && a.ops[2].at == b.ops[2].at) ||
         (a.ops[1].at == b.ops[2].at && a.ops[2].at == b.ops[1].at);
}

void Selector::fold_logic(uint32_t i, const RowFacts& result) {
  if (result.uses.size() != 1 || fused_[i - code_.entry] == OpClass::lea) return;
  const uint32_t user = result.uses[0].first;
  if (folded(user)) return;
  const bool wide = shape(i) == Shape::kLogic64 || shape(i) == Shape::kNot64;
  const bool turned = shape(user) == (wide ? Shape::kNot64 : Shape::kNot32);
  if (turned || shape(user) == (wide ? Shape::kLogic64 : Shape::kLogic32)) {
    if (joins_three(i, user)) fold_into(i, result, OpClass::none);
    return;
  }
  // and + compare with zero: LOP3 writes a predicate.
  if (shape(user) == Shape::kSetp && shape(i) == Shape::kLogic32 && can_take(user)) {
    for (unsigned k = 1; k < 4; ++k) {
      const Place other = p_.code[user].ops[k];
      if (other.present() && other.constant() && is_zero(other)) return fold_into(i, result, OpClass::lop3);
    }
  }
}

void Selector::fold_move(uint32_t i, const RowFacts* result) {
  const Instr& in = p_.code[i];
  const Place from = moved(i);
  if (!from.present()) return;
  if (!from.constant()) {
    if (result != nullptr && stable(from)) {
      folded_[i - code_.entry] = 1;
    } else if (!in.guard.present()) {
      joined_move_ = find(virtual_of(in.ops[0])) == find(virtual_of(from));
      if (joined_move_) folded_[i - code_.entry] = 1;
    }
    return;
  }
  if (result == nullptr || is_symbol(i)) return;
  const bool must_be_register = std::any_of(result->uses.begin(), result->uses.end(), [&](const auto& use) {
    const Instr& user = p_.code[use.first];
    // A zero is stored from RZ (SASS of byte_histogram).
    const bool from_rz = user.kind == InstrKind::kStore && user.vec <= 1 && use.second->bytes <= 4 &&
                         constant_bits(from, use.second->bytes) == 0;
    return (is_memory(user) && !use.second->address && !from_rz) ||
           (use.second->element != 0xff && use.second->bytes >= 4 && !multiplies(use.first));
  });
  if (!must_be_register) folded_[i - code_.entry] = 1;
}

void Selector::fold_pack(uint32_t i) {
  unsigned narrowest = 16;
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    if (p_.refs[r].defines && !stable(p_.refs[r].place)) return;
    if (p_.refs[r].operand < kInstrPlaces) narrowest = std::min<unsigned>(narrowest, p_.refs[r].bytes);
  }
  if (p_.code[i].guard.present() || !stable_sources(i)) return;
  const bool packs_halves = narrowest < 4 && p_.code[i].ops[1].present() && defines_one(i);
  const RowFacts* result = single_result(i);
  if (!packs_halves || (result != nullptr && pairs_same_half(i, *result))) {
    folded_[i - code_.entry] = 1;
    return;
  }
  if (narrowest != 2 || result == nullptr) return;
  std::vector<Place> halves;
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r)
    if (!p_.refs[r].defines) halves.push_back(p_.refs[r].place);
  if (halves.size() == 2 && takes_roundings(halves[0], halves[1], i)) fused_[i - code_.entry] = OpClass::f2fp;
}

}  // namespace gpuloom::ptx
