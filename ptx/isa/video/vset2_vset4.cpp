// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.18.2.2 vset2, 9.7.18.2.4 vset4
//
//   vset.atype.btype.cmp{.add}  d{.mask}, a{.asel}, b{.bsel}, c;     .cmp = { .eq, .ne, .lt, .le, .gt, .ge }
//     .atype = .btype = { .u32, .s32 }     d and c are .u32
//     vset2: .asel = .bsel = .hXY, X and Y one of 0..3 in b:a     .mask = { .h0, .h1, .h10 }
//     vset4: .asel = .bsel = .bUVXY, each one of 0..7 in b:a      .mask = .b and any of 3210
//
// Elements are 1 where the comparison holds, else 0; .add gives c plus those of the mask.
#include "ptx/isa/table/isa_builder.h"
#include "ptx/isa/video/compare.h"
#include "ptx/isa/video/simd.h"

namespace gpuloom::ptx {
namespace {

template <unsigned N>
constexpr LaneFn kSet = simd_video_loop<N>([](int64_t a, int64_t b, uint8_t cmp) -> int64_t {
  return video_holds(static_cast<VideoCompare>(cmp), a, b);
});

template <unsigned N>
void encode(const FormUse& use, Instr& in) {
  SimdVideo v = simd_video_of(use, N);
  v.extra = static_cast<uint8_t>(video_compare(use));
  keep(v, in);
}

template <unsigned N>
void declare(IsaBuilder& isa, const char* section) {
  const std::string name = "vset" + std::to_string(N);
  isa.instruction(name, section, std::string("Compare ") + kSimdElements<N>);
  isa.form(name + ".atype.btype.cmp{.add} d:u32, a:.atype, b:.btype, c:u32")
      .set(".atype", ".u32 .s32")
      .set(".btype", ".u32 .s32")
      .set(".cmp", kVideoComparisons)
      .since("3.0")
      .needs("sm_30")
      .op(OpClass::video)
      .check(check_simd_video<N>)
      .encode(encode<N>)
      .meaning(kSet<N>);
}

}  // namespace

void register_video_vset2_vset4(IsaBuilder& isa) {
  declare<2>(isa, "9.7.18.2.2");
  declare<4>(isa, "9.7.18.2.4");
}

}  // namespace gpuloom::ptx
