// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.1.16 bfind
//
//   bfind.type           d, a;     .type = { .u32, .u64, .s32, .s64 }     d is 32 bits wide
//   bfind.shiftamt.type  d, a;
//
// Position of the highest bit that is not a copy of the sign; .shiftamt: by how much to shift left to bring
// it to the top. 0xffffffff where there is none.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

LaneFn bfind(const FormUse& use) {
  return by_type<uint32_t, int32_t, uint64_t, int64_t>(use.type(), [&]<class T>(T) {
    return use.has(".shiftamt") ? per_lane([](T a) { return numeric::bfind<T, true>(a); })
                                : per_lane([](T a) { return numeric::bfind<T, false>(a); });
  });
}

OpClass bfind_class(const FormUse& use) { return by_bits(use, OpClass::flo, OpClass::bits64); }

}  // namespace

void register_integer_bfind(IsaBuilder& isa) {
  isa.instruction("bfind", "9.7.1.16", "Find the most significant bit that is not the sign.");
  isa.form("bfind{.shiftamt}.type d:u32, a")
      .set(".type", ".u32 .u64 .s32 .s64")
      .since("2.0")
      .op(bfind_class)
      .meaning(bfind);
}

}  // namespace gpuloom::ptx
