// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/narrowing.h"

#include <algorithm>
#include <iterator>

#include "ptx/isa/table/form.h"
#include "ptx/machine/rules/fold_rule.h"
#include "ptx/machine/rules/matrix_operands.h"
#include "ptx/machine/value_width.h"
#include "ptx/passes/instr_questions.h"

namespace gpuloom::ptx {

namespace {

// Bit by bit, in 64 bits.
bool is_wide_logic(const Instr& in) { return class_of(in) == OpClass::logic64; }

// An asynchronous copy has addresses of two spaces, of which its space is one: what is of 64 bits stays so.
bool short_address(const Instr& in) {
  if (in.kind == InstrKind::kAsyncCopy) return false;
  return in.space == Space::kLocal || in.space == Space::kShared || in.space == Space::kConst ||
         in.space == Space::kSharedCluster || in.space == Space::kParamFunction;
}

// Whether i writes one row, and that as its first operand.
bool writes_one(const Selection& s, uint32_t i) {
  const Program& p = s.program();
  unsigned count = 0;
  for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r) {
    if (!p.refs[r].defines) continue;
    if (p.refs[r].operand != 0 || p.refs[r].element != 0xff) return false;
    if (!s.instr(i).ops[0].present() || s.instr(i).ops[0].at != p.refs[r].place.at) return false;  // a call's
    ++count;
  }
  return count == 1;
}

// x & 0xffffffff in 64 bits: the lower half with zeros above.
bool masks_upper(const Selection& s, uint32_t i) {
  const Instr& in = s.instr(i);
  return is_wide_logic(in) && s.mnemonic(i) == "and" && in.ops[1].present() && !in.ops[1].constant() &&
         in.ops[2].constant() && s.constant_bits(in.ops[2], 8) == 0xffff'ffffu;
}

// x | c in 64 bits, where c has nothing in its lower half.
bool adds_upper_half(const Selection& s, uint32_t i) {
  const Instr& in = s.instr(i);
  return is_wide_logic(in) && s.mnemonic(i) == "or" && in.ops[1].present() && !in.ops[1].constant() &&
         in.ops[2].constant() && s.constant_bits(in.ops[2], 4) == 0;
}

// Whether i shifts what several sums of 64 bits add: one of them would take it as LEA.
bool is_distance(const Selection& s, uint32_t i) {
  const RowFacts* result = s.shape(i) == Shape::kShl64 ? s.single_result(i) : nullptr;
  return result != nullptr && result->uses.size() > 1 &&
         all_uses(*result, [&](uint32_t u, const OperandRef&) {
           return (s.shape(u) == Shape::kAdd64 || s.shape(u) == Shape::kSub64) && !adds_product(s, u);
         });
}

// What computes 64 bits, and what computes the lower half of it alone.
struct Word {
  Shape wide, shape;
  OpClass op;
};
constexpr Word kWords[] = {
    {Shape::kExtend, Shape::kRename, OpClass::none}, {Shape::kAdd64, Shape::kAdd32, OpClass::iadd},
    {Shape::kSub64, Shape::kSub32, OpClass::iadd},   {Shape::kShl64, Shape::kShl32, OpClass::shift},
    {Shape::kMulWide, Shape::kMul32, OpClass::imad}, {Shape::kMadWide, Shape::kMad32, OpClass::imad},
};

const Word* as_word(Shape wide) {
  const auto* word = std::ranges::find(kWords, wide, &Word::wide);
  return word == std::end(kWords) ? nullptr : word;
}

}  // namespace

bool takes_upper(const Selection& s, uint32_t i) {
  const Instr& in = s.instr(i);
  return class_of(in) == OpClass::shift64 && s.mnemonic(i) == "shr" && !is_signed(in.type) &&
         in.ops[1].present() && !in.ops[1].constant() && in.ops[2].constant() &&
         s.constant_bits(in.ops[2], 4) >= 32;
}

bool Narrowing::has_zero_upper(Place place) const {
  if (!place.present()) return false;
  if (place.constant()) return s_.constant_bits(place, 8) >> 32 == 0;
  return facts_.zero_upper[s_.number(place)] != 0 && s_.stable(place);
}

// Whether the upper half is a constant, which need not be computed: of matrix descriptors it is.
bool Narrowing::has_constant_upper(Place place, unsigned depth) const {
  constexpr unsigned kDeepest = 4;
  if (!place.present() || depth > kDeepest) return false;
  if (place.constant() || has_zero_upper(place)) return true;
  const uint32_t from = s_.maker(place);
  if (from == UINT32_MAX || s_.row_bytes(s_.number(place)) != 8) return false;
  const Instr& in = s_.instr(from);
  if (s_.shape(from) == Shape::kMove) return has_constant_upper(s_.moved(from), depth + 1);
  return is_wide_logic(in) && s_.mnemonic(from) != "not" && has_constant_upper(in.ops[1], depth + 1) &&
         has_constant_upper(in.ops[2], depth + 1);
}

// Whether instruction u needs only the lower half of what `ref` names.
bool Narrowing::needs_low_half(uint32_t u, const OperandRef& ref) const {
  const Instr& in = s_.instr(u);
  if (is_descriptor(s_, u, ref)) return has_constant_upper(ref.place, 0);
  if (masks_upper(s_, u)) return true;
  if (ref.address && is_memory(in)) return short_address(in);
  if (ref.operand == 0 || ref.element != 0xff) return false;
  if (in.kind != InstrKind::kPlain || !writes_one(s_, u)) return false;
  const uint32_t row = s_.number(in.ops[0]);
  switch (s_.shape(u)) {
    case Shape::kRename:
    case Shape::kMove:
    case Shape::kAdd64:
    case Shape::kSub64:
      return s_.row_bytes(row) == 4 || facts_.low_only[row] != 0;
    case Shape::kShl64:
      return ref.operand == 1 && facts_.low_only[row] != 0;
    case Shape::kMadWide:
      return ref.operand == 3 && facts_.low_only[row] != 0;
    default:
      break;
  }
  const auto op = static_cast<OpClass>(in.op_class);
  return (op == OpClass::mul64 || op == OpClass::logic64) && facts_.low_only[row] != 0;
}

bool Narrowing::makes_zero_upper(uint32_t i) const {
  const Instr& in = s_.instr(i);
  const auto zero = [&](Place place) { return has_zero_upper(place); };
  switch (s_.shape(i)) {
    case Shape::kExtend:
      return !is_signed(in.type) && !s_.source_is_signed(i);
    case Shape::kMove:
    case Shape::kRename:
      return !takes_no_work(in) && in.ops[1].present() && bits(in.type) == 64 && zero(in.ops[1]);
    case Shape::kShl64:
      return value_width(s_, in.ops[0]) <= 32;
    default:
      break;
  }
  if (takes_upper(s_, i)) return true;
  if (in.kind == InstrKind::kLoad && in.vec <= 1) return bits(in.type) <= 32 && !is_signed(in.type);
  if (!is_wide_logic(in)) return false;
  const std::string_view name = s_.mnemonic(i);
  if (name == "and") return zero(in.ops[1]) || zero(in.ops[2]);
  return (name == "or" || name == "xor") && zero(in.ops[1]) && zero(in.ops[2]);
}

void Narrowing::find_halves() {
  facts_.low_only.assign(s_.rows().size(), 0);
  facts_.zero_upper.assign(s_.rows().size(), 0);
  for (bool again = true; again;) {
    again = false;
    for (uint32_t i = s_.code().entry; i < s_.code().end; ++i) {
      const RowFacts* result = s_.single_result(i);
      if (result == nullptr) continue;
      uint8_t& known = facts_.zero_upper[s_.number(s_.instr(i).ops[0])];
      if (known != 0 || !makes_zero_upper(i)) continue;
      known = 1;
      again = true;
    }
  }
  for (uint32_t r = 0; r < s_.rows().size(); ++r)
    facts_.low_only[r] = s_.row_bytes(r) == 8 && !s_.rows()[r].uses.empty() && s_.rows()[r].defs != 0;
  for (bool again = true; again;) {
    again = false;
    for (uint32_t r = 0; r < s_.rows().size(); ++r) {
      if (facts_.low_only[r] == 0) continue;
      if (all_uses(s_.rows()[r], [&](uint32_t u, const OperandRef& ref) { return needs_low_half(u, ref); }))
        continue;
      facts_.low_only[r] = 0;
      again = true;
    }
  }
}

void Narrowing::run() {
  find_halves();
  for (uint32_t i = s_.code().entry; i < s_.code().end; ++i) {
    if (!writes_one(s_, i) || s_.instr(i).ops[0].constant()) continue;
    const uint32_t row = s_.number(s_.instr(i).ops[0]);
    if (s_.row_bytes(row) != 8) continue;
    const auto op = static_cast<OpClass>(s_.instr(i).op_class);
    const auto become = [&](Shape s, OpClass as) {
      Folder folder(selector_, {.i = i});
      folder.become(s, as);
      if (facts_.low_only[row] != 0) folder.make_word(row);
    };
    // Sums of products with carries, as big numbers are multiplied (SASS of ptxas 13.0, sm_90a, 256-bit
    // Montgomery products): a product of two extended values is one IMAD.WIDE.U32, halves are read where they
    // are.
    if (facts_.low_only[row] == 0) {
      if (op == OpClass::mul64 && s_.mnemonic(i) == "mul" && has_zero_upper(s_.instr(i).ops[1]) &&
          has_zero_upper(s_.instr(i).ops[2]))
        become(Shape::kMulWide, OpClass::imad_wide);
      if (masks_upper(s_, i)) {
        become(Shape::kExtend, OpClass::none);
        continue;
      }
      if (takes_upper(s_, i)) {
        const bool all = s_.constant_bits(s_.instr(i).ops[2], 4) == 32;
        become(all ? Shape::kRename : Shape::kOther, all ? OpClass::mov : OpClass::shift);
        continue;
      }
    }
    if (facts_.low_only[row] == 0 && facts_.zero_upper[row] != 0 && is_distance(s_, i)) {
      become(Shape::kShl32, OpClass::shift);
      Folder(selector_, {.i = i}).make_word(row);
      continue;
    }
    if (facts_.low_only[row] != 0 && adds_upper_half(s_, i)) {
      become(Shape::kRename, OpClass::none);
      continue;
    }
    if (op == OpClass::logic64 && (facts_.low_only[row] != 0 || facts_.zero_upper[row] != 0))
      become(s_.mnemonic(i) == "not" ? Shape::kNot32 : Shape::kLogic32, OpClass::lop3);
    if (facts_.low_only[row] == 0) continue;
    if (const Word* word = as_word(s_.shape(i))) {
      become(word->shape, word->op);
      continue;
    }
    if (op == OpClass::shift64 && s_.mnemonic(i) == "shr") become(Shape::kOther, OpClass::shift);
    if (op == OpClass::mul64 && s_.mnemonic(i) == "mul") become(Shape::kMul32, OpClass::imad);
  }
}

}  // namespace gpuloom::ptx
