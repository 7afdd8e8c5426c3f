// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.18.1.1 vadd, vsub, vabsdiff, vmin, vmax
//
//   vop.dtype.atype.btype{.sat}      d, a{.asel}, b{.bsel};
//   vop.dtype.atype.btype{.sat}.op2  d, a{.asel}, b{.bsel}, c;          .op2 = { .add, .min, .max } with c
//   vop.dtype.atype.btype{.sat}      d.dsel, a{.asel}, b{.bsel}, c;     the other parts of d are those of c
//     .dtype = .atype = .btype = { .u32, .s32 }
//     .dsel = .asel = .bsel = { .b0, .b1, .b2, .b3, .h0, .h1 }
#include "ptx/isa/table/isa_builder.h"
#include "ptx/isa/video/scalar.h"

namespace gpuloom::ptx {
namespace {

constexpr LaneFn kAdd = scalar_video_loop([](int64_t a, int64_t b, uint8_t) { return a + b; });
constexpr LaneFn kSub = scalar_video_loop([](int64_t a, int64_t b, uint8_t) { return a - b; });
constexpr LaneFn kAbsDiff =
    scalar_video_loop([](int64_t a, int64_t b, uint8_t) { return a < b ? b - a : a - b; });
constexpr LaneFn kMin = scalar_video_loop([](int64_t a, int64_t b, uint8_t) { return a < b ? a : b; });
constexpr LaneFn kMax = scalar_video_loop([](int64_t a, int64_t b, uint8_t) { return a > b ? a : b; });

struct Op {
  const char* name;
  const char* summary;
  LaneFn loop;
  void (*encode)(const FormUse&, Instr&);
};
constexpr Op kOps[] = {
    {"vadd", "Add parts of registers.", kAdd, encode_scalar_sum},
    {"vsub", "Subtract parts of registers.", kSub, encode_scalar_sum},
    {"vabsdiff", "Absolute difference of parts of registers.", kAbsDiff, encode_scalar_video},
    {"vmin", "Minimum of parts of registers.", kMin, encode_scalar_video},
    {"vmax", "Maximum of parts of registers.", kMax, encode_scalar_video},
};
constexpr const char* kTypes = ".u32 .s32";

}  // namespace

void register_video_vadd(IsaBuilder& isa) {
  for (const Op& op : kOps) {
    const std::string name = op.name;
    isa.instruction(name, "9.7.18.1.1", op.summary);
    isa.form(name + ".dtype.atype.btype{.sat} d:.dtype, a:.atype, b:.btype{, c:.dtype}")
        .set(".dtype", kTypes)
        .set(".atype", kTypes)
        .set(".btype", kTypes)
        .since("2.0")
        .needs("sm_20")
        .op(OpClass::video)
        .check(check_merge)
        .encode(op.encode)
        .meaning(op.loop);
    isa.form(name + ".dtype.atype.btype{.sat}.op2 d:.dtype, a:.atype, b:.btype, c:.dtype")
        .set(".dtype", kTypes)
        .set(".atype", kTypes)
        .set(".btype", kTypes)
        .set(".op2", ".add .min .max")
        .since("2.0")
        .needs("sm_20")
        .op(OpClass::video)
        .encode(op.encode)
        .meaning(op.loop);
  }
}

}  // namespace gpuloom::ptx
