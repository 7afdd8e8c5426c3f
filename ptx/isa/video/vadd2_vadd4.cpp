// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.18.2.1 vadd2, vsub2, vavrg2, vabsdiff2, vmin2, vmax2
// PTX ISA 9.7.18.2.3 vadd4, vsub4, vavrg4, vabsdiff4, vmin4, vmax4
//
//   vop.dtype.atype.btype{.sat}  d{.mask}, a{.asel}, b{.bsel}, c;     elements outside the mask are those of
//   c vop.dtype.atype.btype.add    d{.mask}, a{.asel}, b{.bsel}, c;     c plus the elements of the mask
//     .dtype = .atype = .btype = { .u32, .s32 }
//     vop2: .asel = .bsel = .hXY, X and Y one of 0..3 in b:a     .mask = { .h0, .h1, .h10 }
//     vop4: .asel = .bsel = .bUVXY, each one of 0..7 in b:a      .mask = .b and any of 3210
#include "ptx/isa/table/isa_builder.h"
#include "ptx/isa/video/simd.h"

namespace gpuloom::ptx {
namespace {

constexpr const char* kTypes = ".u32 .s32";

// The operations on N elements of a word.
template <unsigned N>
void declare(IsaBuilder& isa, const char* section) {
  using Loops = SimdArithmetic<N>;
  struct Op {
    const char* name;
    const char* summary;
    LaneFn loop;
  };
  constexpr Op kOps[] = {
      {"vadd", "Add ", Loops::kAdd},        {"vsub", "Subtract ", Loops::kSub},
      {"vavrg", "Average ", Loops::kAvrg},  {"vabsdiff", "Absolute difference of ", Loops::kAbsDiff},
      {"vmin", "Minimum of ", Loops::kMin}, {"vmax", "Maximum of ", Loops::kMax},
  };
  for (const Op& op : kOps) {
    const std::string name = op.name + std::to_string(N);
    isa.instruction(name, section, std::string(op.summary) + kSimdElements<N>);
    for (const char* tail : {"{.sat}", ".add"})
      isa.form(name + ".dtype.atype.btype" + tail + " d:.dtype, a:.atype, b:.btype, c:.dtype")
          .set(".dtype", kTypes)
          .set(".atype", kTypes)
          .set(".btype", kTypes)
          .since("3.0")
          .needs("sm_30")
          .op(OpClass::video)
          .check(check_simd_video<N>)
          .encode(encode_simd_video<N>)
          .meaning(op.loop);
  }
}

}  // namespace

void register_video_vadd2_vadd4(IsaBuilder& isa) {
  declare<2>(isa, "9.7.18.2.1");
  declare<4>(isa, "9.7.18.2.3");
}

}  // namespace gpuloom::ptx
