// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.2.1 add.cc, 9.7.2.2 addc
//
//   add.cc.type     d, a, b;     writes CC.CF       .type = { .u32, .s32, .u64, .s64 }
//   addc{.cc}.type  d, a, b;     reads CC.CF, and writes it with .cc
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/carry.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

LaneFn add_cc(const FormUse& use) {
  return by_width<uint32_t, uint64_t>(use.type(), [&]<class T>(T) {
    return with_carry(use, [](T a, T b, bool carry) { return add_carry(a, b, carry); });
  });
}

}  // namespace

void register_integer_add_cc(IsaBuilder& isa) {
  isa.instruction("add.cc", "9.7.2.1", "Add and set the carry.");
  isa.form("add.cc.type d, a, b")
      .set(".type", ".u32 .s32 .u64@4.3 .s64@4.3")
      .since("1.2")
      .op(add_class)
      .meaning(add_cc);
  isa.instruction("addc", "9.7.2.2", "Add with carry.");
  isa.form("addc{.cc}.type d, a, b")
      .set(".type", ".u32 .s32 .u64@4.3 .s64@4.3")
      .since("1.2")
      .op(add_class)
      .meaning(add_cc);
}

}  // namespace gpuloom::ptx
