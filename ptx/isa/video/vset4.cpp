// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.18.2.4 vset4
//
//   vset4.atype.btype.cmp{.add}  d{.mask}, a{.asel}, b{.bsel}, c;     .cmp = { .eq, .ne, .lt, .le, .gt, .ge }
//     .atype = .btype = { .u32, .s32 }     d and c are .u32
//     .asel = .bsel = .bUVXY, each one of 0..7 in b:a      .mask = .b and any of 3210
//
// Elements are 1 where the comparison holds, else 0; .add gives c plus those of the mask.
#include "ptx/isa/table/isa_builder.h"
#include "ptx/isa/video/compare.h"
#include "ptx/isa/video/simd.h"

namespace gpuloom::ptx {
namespace {

constexpr LaneFn kSet = simd_video_loop<4>([](int64_t a, int64_t b, uint8_t cmp) -> int64_t {
  return video_holds(static_cast<VideoCompare>(cmp), a, b);
});

void encode(const FormUse& use, Instr& in) {
  SimdVideo v = simd_video_of(use, 4);
  v.extra = static_cast<uint8_t>(video_compare(use));
  keep(v, in);
}

}  // namespace

void register_video_vset4(IsaBuilder& isa) {
  isa.instruction("vset4", "9.7.18.2.4", "Compare bytes.");
  isa.form("vset4.atype.btype.cmp{.add} d:u32, a:.atype, b:.btype, c:u32")
      .set(".atype", ".u32 .s32")
      .set(".btype", ".u32 .s32")
      .set(".cmp", kVideoComparisons)
      .since("3.0")
      .needs("sm_30")
      .op(OpClass::video)
      .check(check_simd_video<4>)
      .encode(encode)
      .meaning(kSet);
}

}  // namespace gpuloom::ptx
