// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.18.2.2 vset2
//
//   vset2.atype.btype.cmp{.add}  d{.mask}, a{.asel}, b{.bsel}, c;     .cmp = { .eq, .ne, .lt, .le, .gt, .ge }
//     .atype = .btype = { .u32, .s32 }     d and c are .u32
//     .asel = .bsel = .hXY, X and Y one of 0..3 in b:a     .mask = { .h0, .h1, .h10 }
//
// Elements are 1 where the comparison holds, else 0; .add gives c plus those of the mask.
#include "ptx/isa/table/isa_builder.h"
#include "ptx/isa/video/compare.h"
#include "ptx/isa/video/simd.h"

namespace gpuloom::ptx {
namespace {

constexpr LaneFn kSet = simd_video_loop<2>([](int64_t a, int64_t b, uint8_t cmp) -> int64_t {
  return video_holds(static_cast<VideoCompare>(cmp), a, b);
});

void encode(const FormUse& use, Instr& in) {
  SimdVideo v = simd_video_of(use, 2);
  v.extra = static_cast<uint8_t>(video_compare(use));
  keep(v, in);
}

}  // namespace

void register_video_vset2(IsaBuilder& isa) {
  isa.instruction("vset2", "9.7.18.2.2", "Compare half-words.");
  isa.form("vset2.atype.btype.cmp{.add} d:u32, a:.atype, b:.btype, c:u32")
      .set(".atype", ".u32 .s32")
      .set(".btype", ".u32 .s32")
      .set(".cmp", kVideoComparisons)
      .since("3.0")
      .needs("sm_30")
      .op(OpClass::video)
      .check(check_simd_video<2>)
      .encode(encode)
      .meaning(kSet);
}

}  // namespace gpuloom::ptx
