// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.18.2.3 vadd4, vsub4, vavrg4, vabsdiff4, vmin4, vmax4
//
//   vop4.dtype.atype.btype{.sat}  d{.mask}, a{.asel}, b{.bsel}, c;     elements outside the mask are those of
//   c vop4.dtype.atype.btype.add    d{.mask}, a{.asel}, b{.bsel}, c;     c plus the elements of the mask
//     .dtype = .atype = .btype = { .u32, .s32 }
//     .asel = .bsel = .bUVXY, each one of 0..7 in b:a      .mask = .b and any of 3210
#include "ptx/isa/table/isa_builder.h"
#include "ptx/isa/video/simd.h"

namespace gpuloom::ptx {
namespace {

using Loops = SimdArithmetic<4>;

struct Op {
  const char* name;
  const char* summary;
  LaneFn loop;
};
constexpr Op kOps[] = {
    {"vadd4", "Add bytes.", Loops::kAdd},
    {"vsub4", "Subtract bytes.", Loops::kSub},
    {"vavrg4", "Average bytes.", Loops::kAvrg},
    {"vabsdiff4", "Absolute difference of bytes.", Loops::kAbsDiff},
    {"vmin4", "Minimum of bytes.", Loops::kMin},
    {"vmax4", "Maximum of bytes.", Loops::kMax},
};
constexpr const char* kTypes = ".u32 .s32";

}  // namespace

void register_video_vadd4(IsaBuilder& isa) {
  for (const Op& op : kOps) {
    const std::string name = op.name;
    isa.instruction(name, "9.7.18.2.3", op.summary);
    for (const char* tail : {"{.sat}", ".add"})
      isa.form(name + ".dtype.atype.btype" + tail + " d:.dtype, a:.atype, b:.btype, c:.dtype")
          .set(".dtype", kTypes)
          .set(".atype", kTypes)
          .set(".btype", kTypes)
          .since("3.0")
          .needs("sm_30")
          .op(OpClass::video)
          .check(check_simd_video<4>)
          .encode(encode_simd_video<4>)
          .meaning(op.loop);
  }
}

}  // namespace gpuloom::ptx
