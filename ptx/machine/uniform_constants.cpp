// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/uniform_constants.h"

#include "ptx/machine/node_questions.h"
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

// Where the bank of .const variables stands among the offsets that the constant caches know: behind all
// parameters.
constexpr int64_t kVariablesFrom = 0x8000;

}  // namespace

bool UniformConstants::may_be_uniform(Place place) const {
  if (!place.present() || place.constant()) return false;
  const uint32_t row = s_.number(place);
  return row < in_uniform_.size() && in_uniform_[row] != 0;  // 16-byte tuples begin where no row does
}

// Whether the uniform datapath can make what i writes: constants, and sums and products with constants.
bool UniformConstants::makes_uniform(uint32_t i) const {
  const Instr& in = s_.instr(i);
  if (in.guard.present() || s_.apart(s_.block_of(i))) return false;
  const Place a = in.ops[1], b = in.ops[2];
  const auto constant = [](Place place) { return place.present() && place.constant(); };
  switch (s_.shape(i)) {
    case Shape::kMove:
      if (!constant(a)) return may_be_uniform(a);
      return s_.symbol_of(i) == nullptr || s_.symbol_of(i)->space == Space::kConst;
    case Shape::kAdd32:
      return (may_be_uniform(a) && (constant(b) || may_be_uniform(b))) || (constant(a) && may_be_uniform(b));
    case Shape::kMul32:
    case Shape::kShl32:
      return may_be_uniform(a) && constant(b);
    default:
      return false;
  }
}

// A load whose result may be a uniform register: arithmetic takes one of them an operation.
bool UniformConstants::loads_uniform(uint32_t i) const {
  const Instr& in = s_.instr(i);
  if (in.kind != InstrKind::kLoad || in.space != Space::kConst || in.vec > 1 || in.guard.present() ||
      s_.apart(s_.block_of(i)))
    return false;
  const RowFacts* result = s_.single_result(i);
  if (result == nullptr || s_.row_bytes(s_.number(in.ops[0])) != 4) return false;
  return all_uses(*result, [&](uint32_t u, const OperandRef& ref) {
    const Instr& user = s_.instr(u);
    if (user.kind != InstrKind::kPlain || ref.element != 0xff || ref.operand >= kInstrPlaces) return false;
    if (s_.shape(u) != Shape::kFloat && s_.shape(u) != Shape::kAdd32 && s_.shape(u) != Shape::kMad32)
      return false;
    for (uint32_t r = s_.program().ref_begin[u]; r < s_.program().ref_begin[u + 1]; ++r) {
      const Place other = s_.program().refs[r].place;
      if (s_.program().refs[r].defines || other.constant() || other.at == ref.place.at) continue;
      const uint32_t from = s_.maker(other);
      if (from == UINT32_MAX) continue;
      if (s_.shape(from) == Shape::kParamLoad || s_.instr(from).space == Space::kConst) return false;
    }
    return true;
  });
}

bool UniformConstants::keeps_uniform(uint32_t row) const {
  if (s_.rows()[row].uses.empty()) return false;
  return all_uses(s_.rows()[row], [&](uint32_t u, const OperandRef& ref) {
    if (ref.address) return loads_uniform(u);
    const Place result = s_.instr(u).ops[0];
    return s_.instr(u).kind == InstrKind::kPlain && result.present() && may_be_uniform(result) &&
           makes_uniform(u);
  });
}

void UniformConstants::find() {
  const size_t count = s_.rows().size();
  in_uniform_.assign(count, 0);
  bool any = false;
  for (uint32_t r = 0; r < count; ++r) {
    const unsigned bytes = s_.row_bytes(r);
    in_uniform_[r] = s_.rows()[r].defs != 0 && !s_.rows()[r].guarded && !s_.is_special(r) && !s_.differs(r) &&
                     (bytes == 4 || (bytes == 8 && s_.needs_low_word(r)));
    any |= in_uniform_[r] != 0;
  }
  for (bool again = any; again;) {
    again = false;
    const auto drop = [&](uint32_t row) {
      if (in_uniform_[row] == 0) return;
      in_uniform_[row] = 0;
      again = true;
    };
    for (uint32_t i = s_.code().entry; i < s_.code().end; ++i) {
      for (uint32_t r = s_.program().ref_begin[i]; r < s_.program().ref_begin[i + 1]; ++r) {
        if (!s_.program().refs[r].defines || makes_uniform(i)) continue;
        drop(s_.number(s_.program().refs[r].place));
      }
    }
    for (uint32_t r = 0; r < count; ++r) {
      if (in_uniform_[r] != 0 && !keeps_uniform(r)) drop(r);
    }
  }
}

// What i was selected to goes to the uniform datapath.
void UniformConstants::make_uniform(Graph& g, uint32_t i, std::vector<Node>& nodes, size_t from) const {
  const Instr& in = s_.instr(i);
  const Place at = in.ops[1];
  const bool known = !at.present() || at.constant() || may_be_uniform(at);
  const bool loads = in.kind == InstrKind::kLoad && in.space == Space::kConst && known && loads_uniform(i);
  if (!loads && (in.kind != InstrKind::kPlain || !may_be_uniform(in.ops[0]))) return;
  // Before 9.0 arithmetic reads it where it is, as it does parameters (SASS of a filter of 15 x 15 for sm_75
  // to sm_89: 1,575 FFMA R, R, c[0x3][..], R and no load).
  const bool in_place = loads && s_.profile().constant_operands && (!at.present() || at.constant());
  for (size_t k = from; k < nodes.size(); ++k) {
    if (nodes[k].decoded != i) continue;
    if (in_place) {
      nodes[k].constant_operand = true;
      nodes[k].memory = nodes[k].loads = false;
      nodes[k].constant_offset = static_cast<uint16_t>(kVariablesFrom | in.imm);
      continue;
    }
    nodes[k].uniform = true;
    if (is_constant_load(nodes[k].op) && !loads) nodes[k].op = OpClass::mov;  // an address is a constant
    nodes[k].constant_operand = loads;
    for (const uint32_t v : nodes[k].defs) g.registers[v].uniform = true;
  }
}

}  // namespace gpuloom::ptx
