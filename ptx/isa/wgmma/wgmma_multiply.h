// SPDX-License-Identifier: Apache-2.0
// What wgmma.mma_async and its sparse form share: checks, decoding, and the meaning of a warp's share.
#pragma once
#include "ptx/exec/matrix/warp_multiply.h"
#include "ptx/exec/matrix/warpgroup_meeting.h"
#include "ptx/exec/simt.h"
#include "ptx/isa/matrix/shape.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx::wgmma {

// Instr::aux.
constexpr uint8_t kNegate = 0x02, kSaturate = 0x04, kSharedA = 0x08, kTransposeA = 0x10, kTransposeB = 0x20,
                  kSelector = 0x40, kScaleNegated = 0x80;

inline MatrixShape shape_of(const FormUse& use) {
  MatrixShape s = parse_shape(use.mod(".shape"));
  s.d = use.type(".dtype");
  s.a = use.type(".atype");
  s.b = use.type(".btype");
  if (s.d == Type::kNone) s.d = Type::kS32;
  if (s.a == Type::kNone) s.a = s.b = Type::kB1;
  s.c = s.d;
  return s;
}

inline bool a_is_shared(const FormUse& use) { return use.form().operands[1].shape != OperandShape::kList; }

// Position of an operand by its name in the form, -1 where the form has none.
inline int position(const FormUse& use, std::string_view name) {
  const auto& operands = use.form().operands;
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i].name == name) return static_cast<int>(i);
  return -1;
}
inline int64_t constant(const FormUse& use, std::string_view name, int64_t absent) {
  const int at = position(use, name);
  return at < 0 ? absent : use.operand(static_cast<unsigned>(at)).value;
}

template <bool kSparse>
std::string check(const FormUse& use) {
  const MatrixShape s = shape_of(use);
  std::string problem = list_problem(use, 0, registers_for(s.m / 4 * s.n, s.d), s.d, "d");
  const int depth = kSparse ? s.k / 2 : s.k;
  if (problem.empty() && !a_is_shared(use))
    problem = list_problem(use, 1, registers_for(s.m / 4 * depth, s.a), s.a, "a");
  if (!problem.empty()) return problem;
  for (const char* scale : {"ia", "ib"})
    if (const int64_t v = constant(use, scale, 1); v != 1 && v != -1)
      return "the factors of A and B are 1 or -1";
  for (const char* transpose : {"ta", "tb"})
    if (const int64_t v = constant(use, transpose, 0); v != 0 && v != 1)
      return "the transpositions of A and B are 0 or 1";
  if (!kSparse) return {};
  const int64_t selector = constant(use, "sel", 0), choices = 4 / metadata_lanes(s);
  if (selector >= 0 && selector < choices) return {};
  return choices == 1 ? "the sparsity selector must be 0 here"
                      : "the sparsity selector must be 0 to " + std::to_string(choices - 1) + " here";
}

inline void encode(const FormUse& use, Instr& in) {
  in.imm = pack(shape_of(use));
  in.aux = 0;
  if (constant(use, "ia", 1) * constant(use, "ib", 1) < 0) in.aux |= kNegate;
  if (use.has(".satfinite")) in.aux |= kSaturate;
  if (a_is_shared(use)) in.aux |= kSharedA;
  if (constant(use, "ta", 0) != 0) in.aux |= kTransposeA;
  if (constant(use, "tb", 0) != 0) in.aux |= kTransposeB;
  if (constant(use, "sel", 0) != 0) in.aux |= kSelector;
  if (use.operand(static_cast<unsigned>(position(use, "s"))).negated) in.aux |= kScaleNegated;
}

template <bool kSparse>
void multiply(Warp& w, const Instr& in, uint32_t lanes) {
  lanes = sync_lanes(w, in, lanes, ~0u);
  if (lanes == 0) return;
  WarpgroupMultiply g;
  g.shape = unpack_shape(in.imm);
  g.d = in.ops[0];
  g.a = in.ops[1];
  g.b = in.ops[2];
  // Forms of more than six operands keep no places for constants, here the selector.
  const Place scale = !kSparse ? in.ops[3] : in.ops[5].present() ? in.ops[5] : in.ops[4];
  const uint32_t add = predicate(w, scale) ^ ((in.aux & kScaleNegated) != 0 ? ~0u : 0u);
  g.scale_d = (add & lanes) != 0;
  g.negate = (in.aux & kNegate) != 0;
  g.saturate = (in.aux & kSaturate) != 0;
  g.a_shared = (in.aux & kSharedA) != 0;
  g.a_outer_major = (in.aux & kTransposeA) != 0;
  g.b_outer_major = (in.aux & kTransposeB) != 0;
  if (kSparse) {
    g.metadata = source<uint32_t>(w, in.ops[3]);
    g.selector = (in.aux & kSelector) != 0 ? 1 : 0;
  }
  meet_and_multiply(w, in, g);
}

template <bool kSparse>
FormBuilder common(FormBuilder form) {
  form.kind(InstrKind::kWarpSync)
      .op(OpClass::wgmma)
      .updates()
      .check(check<kSparse>)
      .encode(encode)
      .meaning(multiply<kSparse>)
      .since("8.0")
      .needs("sm_90a");
  return form;
}

}  // namespace gpuloom::ptx::wgmma
