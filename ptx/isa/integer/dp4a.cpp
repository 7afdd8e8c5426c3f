// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.1.23 dp4a
//
//   dp4a.atype.btype  d, a, b, c;     .atype = .btype = { .u32, .s32 }
//
// c plus the four products of the bytes of a and b; .atype and .btype say how bytes extend. d and c are .u32
// if both are, else .s32.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

LaneFn dp4a(const FormUse& use) {
  return by_type<uint32_t, int32_t>(use.type(".atype"), [&]<class A>(A) {
    return by_type<uint32_t, int32_t>(use.type(".btype"), []<class B>(B) {
      return per_lane([](uint32_t a, uint32_t b, uint32_t c) { return numeric::dp4a<A, B>(a, b, c); });
    });
  });
}

}  // namespace

void register_integer_dp4a(IsaBuilder& isa) {
  isa.instruction("dp4a", "9.7.1.23", "Dot product of four bytes, accumulated.");
  isa.form("dp4a.atype.btype d:b32, a:b32, b:b32, c:b32")
      .set(".atype", ".u32 .s32")
      .set(".btype", ".u32 .s32")
      .since("5.0")
      .needs("sm_61")
      .op(OpClass::idp)
      .meaning(dp4a);
}

}  // namespace gpuloom::ptx
