// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.2.3 sub.cc, 9.7.2.4 subc
//
//   sub.cc.type     d, a, b;     writes CC.CF       .type = { .u32, .s32, .u64, .s64 }
//   subc{.cc}.type  d, a, b;     reads CC.CF, and writes it with .cc
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/carry.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

LaneFn sub_cc(const FormUse& use) {
  return by_width<uint32_t, uint64_t>(use.type(), [&]<class T>(T) {
    return with_carry<true>(use, [](T a, T b, bool carry) { return sub_carry(a, b, carry); });
  });
}

}  // namespace

void register_integer_sub_cc(IsaBuilder& isa) {
  isa.instruction("sub.cc", "9.7.2.3", "Subtract and set the borrow.");
  isa.form("sub.cc.type d, a, b")
      .set(".type", ".u32 .s32 .u64@4.3 .s64@4.3")
      .since("1.2")
      .op(add_class)
      .meaning(sub_cc);
  isa.instruction("subc", "9.7.2.4", "Subtract with borrow.");
  isa.form("subc{.cc}.type d, a, b")
      .set(".type", ".u32 .s32 .u64@4.3 .s64@4.3")
      .since("1.2")
      .op(add_class)
      .meaning(sub_cc);
}

}  // namespace gpuloom::ptx
