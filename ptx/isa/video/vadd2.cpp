// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.18.2.1 vadd2, vsub2, vavrg2, vabsdiff2, vmin2, vmax2
//
//   vop2.dtype.atype.btype{.sat}  d{.mask}, a{.asel}, b{.bsel}, c;     elements outside the mask are those of
//   c vop2.dtype.atype.btype.add    d{.mask}, a{.asel}, b{.bsel}, c;     c plus the elements of the mask
//     .dtype = .atype = .btype = { .u32, .s32 }
//     .asel = .bsel = .hXY, X and Y one of 0..3 in b:a     .mask = { .h0, .h1, .h10 }
#include "ptx/isa/table/isa_builder.h"
#include "ptx/isa/video/simd.h"

namespace gpuloom::ptx {
namespace {

using Loops = SimdArithmetic<2>;

struct Op {
  const char* name;
  const char* summary;
  LaneFn loop;
};
constexpr Op kOps[] = {
    {"vadd2", "Add half-words.", Loops::kAdd},
    {"vsub2", "Subtract half-words.", Loops::kSub},
    {"vavrg2", "Average half-words.", Loops::kAvrg},
    {"vabsdiff2", "Absolute difference of half-words.", Loops::kAbsDiff},
    {"vmin2", "Minimum of half-words.", Loops::kMin},
    {"vmax2", "Maximum of half-words.", Loops::kMax},
};
constexpr const char* kTypes = ".u32 .s32";

}  // namespace

void register_video_vadd2(IsaBuilder& isa) {
  for (const Op& op : kOps) {
    const std::string name = op.name;
    isa.instruction(name, "9.7.18.2.1", op.summary);
    for (const char* tail : {"{.sat}", ".add"})
      isa.form(name + ".dtype.atype.btype" + tail + " d:.dtype, a:.atype, b:.btype, c:.dtype")
          .set(".dtype", kTypes)
          .set(".atype", kTypes)
          .set(".btype", kTypes)
          .since("3.0")
          .needs("sm_30")
          .op(OpClass::video)
          .check(check_simd_video<2>)
          .encode(encode_simd_video<2>)
          .meaning(op.loop);
  }
}

}  // namespace gpuloom::ptx
