// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.2.5 mad.cc, 9.7.2.6 madc
//
//   mad.mode.cc.type     d, a, b, c;     writes CC.CF      .mode = { .hi, .lo }
//   madc.mode{.cc}.type  d, a, b, c;     reads CC.CF, and writes it with .cc
//                                        .type = { .u32, .s32, .u64, .s64 }
//
// The carry is that of adding the half of the product, c and the carry in.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/carry.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

LaneFn mad_lo(const FormUse& use) {
  return by_width<uint32_t, uint64_t>(use.type(), [&]<class T>(T) {
    return with_carry(use,
                      [](T a, T b, T c, bool carry) { return add_carry(numeric::mul_lo(a, b), c, carry); });
  });
}

LaneFn mad_hi(const FormUse& use) {
  return by_type<uint32_t, int32_t, uint64_t, int64_t>(use.type(), [&]<class T>(T) {
    using U = numeric::unsigned_of<T>;
    return with_carry(use, [](U a, U b, U c, bool carry) {
      const T high = numeric::mul_hi(static_cast<T>(a), static_cast<T>(b));
      return add_carry(static_cast<U>(high), c, carry);
    });
  });
}

LaneFn mad_cc(const FormUse& use) { return use.has(".hi") ? mad_hi(use) : mad_lo(use); }

}  // namespace

void register_integer_mad_cc(IsaBuilder& isa) {
  isa.instruction("mad", "9.7.2.5", "Multiply, add and set the carry.");
  isa.form("mad.mode.cc.type d, a, b, c")
      .set(".mode", ".hi .lo")
      .set(".type", ".u32 .s32 .u64@4.3 .s64@4.3")
      .since("3.0")
      .needs("sm_20")
      .op(multiply_class)
      .meaning(mad_cc);
  isa.instruction("madc", "9.7.2.6", "Multiply and add with carry.");
  isa.form("madc.mode{.cc}.type d, a, b, c")
      .set(".mode", ".hi .lo")
      .set(".type", ".u32 .s32 .u64@4.3 .s64@4.3")
      .since("3.0")
      .needs("sm_20")
      .op(multiply_class)
      .meaning(mad_cc);
}

}  // namespace gpuloom::ptx
