// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.8.6 lop3
//
//   lop3.b32         d, a, b, c, immLut;
//   lop3.BoolOp.b32  d|p, a, b, c, immLut, q;     .BoolOp = { .and, .or }     `_` drops d
//
// Bit i of d is the bit of immLut whose number is made of bit i of a, b and c. p = (d != 0) BoolOp q
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

constexpr LaneFn kLop3 = per_lane(
    [](uint32_t a, uint32_t b, uint32_t c, uint32_t table) { return numeric::lop3(a, b, c, table); });

// Places: d, p, a, b, c, q. The table does not fit in; it is in Instr::imm.
template <bool Or>
void lop3_bool_op(Warp& w, const Instr& in, uint32_t lanes) {
  const uint32_t* a = source<uint32_t>(w, in.ops[2]);
  const uint32_t* b = source<uint32_t>(w, in.ops[3]);
  const uint32_t* c = source<uint32_t>(w, in.ops[4]);
  const uint32_t table = static_cast<uint32_t>(in.imm);
  alignas(64) uint32_t d[kLanes];
  uint32_t nonzero = 0;
  for (unsigned l = 0; l < kLanes; ++l) d[l] = numeric::lop3(a[l], b[l], c[l], table);
  for (unsigned l = 0; l < kLanes; ++l) nonzero |= static_cast<uint32_t>(d[l] != 0) << l;
  const uint32_t q = in.aux != 0 ? ~predicate(w, in.ops[5]) : predicate(w, in.ops[5]);
  if (in.ops[0].present()) lane::store(row<uint32_t>(w, in.ops[0]), d, lanes);
  if (in.ops[1].present()) set_predicate(w, in.ops[1], lanes, Or ? nonzero | q : nonzero & q);
}

LaneFn bool_op(const FormUse& use) { return use.has(".or") ? lop3_bool_op<true> : lop3_bool_op<false>; }

void encode_bool_op(const FormUse& use, Instr& in) {
  in.imm = use.operand(4).value;
  in.aux = use.operand(5).negated ? 1 : 0;
}

std::string check_table(const FormUse& use) {
  const int64_t table = use.operand(4).value;
  return table < 0 || table > 255 ? "immLut must be between 0 and 255" : "";
}

}  // namespace

void register_logic_lop3(IsaBuilder& isa) {
  isa.instruction("lop3", "9.7.8.6", "Any logical operation on three inputs.");
  isa.form("lop3.b32 d, a, b, c, #immLut")
      .since("4.3")
      .needs("sm_50")
      .op(OpClass::lop3)
      .check(check_table)
      .meaning(kLop3);
  isa.form("lop3.BoolOp.b32 d|p, a, b, c, #immLut, {!}q:pred")
      .set(".BoolOp", ".and .or")
      .since("8.2")
      .needs("sm_70")
      .op(OpClass::lop3)
      .check(check_table)
      .encode(encode_bool_op)
      .meaning(bool_op);
}

}  // namespace gpuloom::ptx
