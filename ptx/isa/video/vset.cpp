// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.18.1.4 vset
//
//   vset.atype.btype.cmp      d, a{.asel}, b{.bsel};          .cmp = { .eq, .ne, .lt, .le, .gt, .ge }
//   vset.atype.btype.cmp.op2  d, a{.asel}, b{.bsel}, c;       .op2 = { .add, .min, .max } with c
//   vset.atype.btype.cmp      d.dsel, a{.asel}, b{.bsel}, c;  the other parts of d are those of c
//     .atype = .btype = { .u32, .s32 }     d and c are .u32
//
// 1 where the comparison holds, else 0.
#include "ptx/isa/table/isa_builder.h"
#include "ptx/isa/video/compare.h"
#include "ptx/isa/video/scalar.h"

namespace gpuloom::ptx {
namespace {

constexpr LaneFn kSet = scalar_video_loop([](int64_t a, int64_t b, uint8_t cmp) -> int64_t {
  return video_holds(static_cast<VideoCompare>(cmp), a, b);
});

void encode(const FormUse& use, Instr& in) {
  ScalarVideo v = scalar_video_of(use);
  v.d_signed = v.a_signed;  // .min and .max compare with c so (H200)
  v.extra = static_cast<uint8_t>(video_compare(use));
  keep(v, in);
}

}  // namespace

void register_video_vset(IsaBuilder& isa) {
  isa.instruction("vset", "9.7.18.1.4", "Compare parts of registers.");
  isa.form("vset.atype.btype.cmp d:u32, a:.atype, b:.btype{, c:u32}")
      .set(".atype", ".u32 .s32")
      .set(".btype", ".u32 .s32")
      .set(".cmp", kVideoComparisons)
      .since("2.0")
      .needs("sm_20")
      .op(OpClass::video)
      .check(check_merge)
      .encode(encode)
      .meaning(kSet);
  isa.form("vset.atype.btype.cmp.op2 d:u32, a:.atype, b:.btype, c:u32")
      .set(".atype", ".u32 .s32")
      .set(".btype", ".u32 .s32")
      .set(".cmp", kVideoComparisons)
      .set(".op2", ".add .min .max")
      .since("2.0")
      .needs("sm_20")
      .op(OpClass::video)
      .encode(encode)
      .meaning(kSet);
}

}  // namespace gpuloom::ptx
