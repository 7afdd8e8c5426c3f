// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.18.1.2 vshl, vshr
//
//   vop.dtype.atype.u32{.sat}.mode      d, a{.asel}, b{.bsel};          .mode = { .clamp, .wrap }
//   vop.dtype.atype.u32{.sat}.mode.op2  d, a{.asel}, b{.bsel}, c;       .op2 = { .add, .min, .max } with c
//   vop.dtype.atype.u32{.sat}.mode      d.dsel, a{.asel}, b{.bsel}, c;  the other parts of d are those of c
//     .dtype = .atype = { .u32, .s32 }
//
// .clamp limits the amount to 32, .wrap takes it modulo 32.
#include "ptx/isa/table/isa_builder.h"
#include "ptx/isa/video/scalar.h"

namespace gpuloom::ptx {
namespace {

// Bit 0 of `mode` is 1 for .wrap.
constexpr int64_t amount(int64_t b, uint8_t mode) { return (mode & 1) != 0 ? b & 31 : (b > 32 ? 32 : b); }

constexpr LaneFn kShl = scalar_video_loop([](int64_t a, int64_t b, uint8_t mode) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) << amount(b, mode));
});
constexpr LaneFn kShr =
    scalar_video_loop([](int64_t a, int64_t b, uint8_t mode) { return a >> amount(b, mode); });

void encode(const FormUse& use, Instr& in) {
  ScalarVideo v = scalar_video_of(use);
  v.extra = static_cast<uint8_t>(kSaturates34Bits | (use.has(".wrap") ? 1 : 0));
  v.narrow = v.saturate;  // what saturation leaves has 32 bits
  keep(v, in);
}

void declare(IsaBuilder& isa, const std::string& name, const char* summary, LaneFn loop) {
  isa.instruction(name, "9.7.18.1.2", summary);
  isa.form(name + ".dtype.atype.u32{.sat}.mode d:.dtype, a:.atype, b:u32{, c:.dtype}")
      .set(".dtype", ".u32 .s32")
      .set(".atype", ".u32 .s32")
      .set(".mode", ".clamp .wrap")
      .since("2.0")
      .needs("sm_20")
      .op(OpClass::video)
      .check(check_merge)
      .encode(encode)
      .meaning(loop);
  isa.form(name + ".dtype.atype.u32{.sat}.mode.op2 d:.dtype, a:.atype, b:u32, c:.dtype")
      .set(".dtype", ".u32 .s32")
      .set(".atype", ".u32 .s32")
      .set(".mode", ".clamp .wrap")
      .set(".op2", ".add .min .max")
      .since("2.0")
      .needs("sm_20")
      .op(OpClass::video)
      .encode(encode)
      .meaning(loop);
}

}  // namespace

void register_video_vshl(IsaBuilder& isa) {
  declare(isa, "vshl", "Shift a part of a register left.", kShl);
  declare(isa, "vshr", "Shift a part of a register right.", kShr);
}

}  // namespace gpuloom::ptx
