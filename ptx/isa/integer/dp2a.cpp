// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.1.24 dp2a
//
//   dp2a.mode.atype.btype  d, a, b, c;     .mode = { .lo, .hi }
//                                          .atype = .btype = { .u32, .s32 }
//
// c plus two products: the 16-bit halves of a with two bytes of b, its lower (.lo) or upper (.hi) ones.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

LaneFn dp2a(const FormUse& use) {
  return by_type<uint32_t, int32_t>(use.type(".atype"), [&]<class A>(A) {
    return by_type<uint32_t, int32_t>(use.type(".btype"), [&]<class B>(B) {
      return by_flags(
          []<bool High>() {
            return per_lane(
                [](uint32_t a, uint32_t b, uint32_t c) { return numeric::dp2a<A, B, High>(a, b, c); });
          },
          use.has(".hi"));
    });
  });
}

}  // namespace

void register_integer_dp2a(IsaBuilder& isa) {
  isa.instruction("dp2a", "9.7.1.24", "Dot product of two halves with two bytes, accumulated.");
  isa.form("dp2a.mode.atype.btype d:b32, a:b32, b:b32, c:b32")
      .set(".mode", ".lo .hi")
      .set(".atype", ".u32 .s32")
      .set(".btype", ".u32 .s32")
      .since("5.0")
      .needs("sm_61")
      .op(OpClass::idp)
      .meaning(dp2a);
}

}  // namespace gpuloom::ptx
