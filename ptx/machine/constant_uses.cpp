// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/constant_uses.h"

#include <algorithm>
#include <cstring>

#include "ptx/isa/table/op_traits.h"

namespace gpuloom::ptx {

std::optional<uint64_t> immediate_of(const Program& p, const Node& n) {
  // LEA and shifts name their distance beside the operand.
  if (n.op == OpClass::lea) return std::nullopt;
  if (n.immediate != 0) return n.immediate;
  const uint32_t i = n.decoded;
  for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p.refs[r];
    if (ref.defines || !ref.place.constant() || ref.operand >= kInstrPlaces || ref.bytes < 4) continue;
    uint64_t bits = 0;
    std::memcpy(&bits, p.constants.data() + static_cast<uint32_t>(~ref.place.at),
                std::min<size_t>(8, ref.bytes));
    if (bits != 0) return bits;
  }
  return std::nullopt;
}

namespace {

bool is_uniform_base(const Graph& g, const Node& n, uint32_t value) {
  return g.model->profile.has_uniform_bases() && n.memory && (n.op == OpClass::ldg || n.op == OpClass::stg) &&
         g.registers[value].words == 2 && std::find(n.tuple.begin(), n.tuple.end(), value) == n.tuple.end();
}

// Of a wide product from 9.0 on (bench/silicon/lowering/uniform_factors.py: IMAD.WIDE R2, R2, UR4, RZ; a base
// of 64 bits stands beside an index and the immediate of its size: IMAD.WIDE R28, R29, 0x4, R24). A part of a
// product of 64 bits has two factors in registers, whatever their width.
bool is_factor(const Graph& g, const Node& n, uint32_t value) {
  if (g.registers[value].words != 1) return false;
  return !n.carries || std::any_of(n.uses.begin(), n.uses.end(),
                                   [&](uint32_t v) { return v != value && g.registers[v].words == 1; });
}

}  // namespace

ConstantUse constant_use(const Graph& g, const Node& n, uint32_t value) {
  if (n.uniform || is_uniform_base(g, n, value)) return ConstantUse::kUniform;
  const bool arithmetic = !n.memory && !n.loads && !n.stores && !n.ordered && !n.volatile_order &&
                          !n.copies && !n.clobbers && n.tuple.empty() && n.rows.empty();
  if (!arithmetic) return ConstantUse::kData;
  // What reads the constant bank already has no room for another operand of it.
  if (n.constant_operand) return ConstantUse::kVector;
  // What a branch skipped finds it in its own block, which a load for the uniform datapath cannot be skipped
  // in (SASS of spmv_ell: @P5 LDC R21, @P3 LDC R26 of one parameter).
  if (n.skipped && !g.model->profile.constant_operands) return ConstantUse::kVector;
  const bool takes =
      is(n.op, kTakesConstant) ||
      (n.op == OpClass::imad_wide && (g.model->profile.constant_operands || is_factor(g, n, value)));
  if (!takes) return ConstantUse::kVector;
  for (const uint32_t v : n.uses) {
    if (v != value && g.registers[v].uniform) return ConstantUse::kVector;
  }
  return immediate_of(*g.program, n) ? ConstantUse::kVector : ConstantUse::kUniform;
}

}  // namespace gpuloom::ptx
