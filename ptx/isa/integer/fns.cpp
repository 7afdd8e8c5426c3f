// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.1.17 fns
//
//   fns.b32  d, mask, base, offset;
//
// Position of the offset-th set bit of mask from bit base on, upwards or (offset < 0) downwards; 0xffffffff
// where there is none.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

constexpr LaneFn kFns = per_active_lane(
    [](uint32_t mask, uint32_t base, int32_t offset) { return numeric::fns(mask, base, offset); });

}  // namespace

void register_integer_fns(IsaBuilder& isa) {
  isa.instruction("fns", "9.7.1.17", "Find the n-th set bit.");
  isa.form("fns.b32 d, mask, base:b32, offset:s32")
      .since("6.0")
      .needs("sm_30")
      .op(OpClass::fns)
      .meaning(kFns);
}

}  // namespace gpuloom::ptx
