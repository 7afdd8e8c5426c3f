// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.22 cvt.pack
//
//   cvt.pack.sat.convertType.s32      d, a, b;        .convertType = { .u16, .s16 }
//   cvt.pack.sat.convertType.s32.b32  d, a, b, c;     .convertType = { .u2, .s2, .u4, .s4, .u8, .s8 }
//
// a and b, clamped to .convertType, are packed with b in the lowest bits; the low bits of c fill the rest.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

template <unsigned Bits, bool Signed>
constexpr uint32_t clamp(int32_t x) {
  constexpr int32_t kLow = Signed ? -(1 << (Bits - 1)) : 0;
  constexpr int32_t kHigh = Signed ? (1 << (Bits - 1)) - 1 : (1 << Bits) - 1;
  const int32_t clamped = x < kLow ? kLow : (x > kHigh ? kHigh : x);
  return static_cast<uint32_t>(clamped) & ((1u << Bits) - 1);
}

template <unsigned Bits, bool Signed>
constexpr LaneFn kPackTwo = per_lane([](int32_t a, int32_t b) {
  return clamp<Bits, Signed>(a) << Bits | clamp<Bits, Signed>(b);
});

template <unsigned Bits, bool Signed>
constexpr LaneFn kPackThree = per_lane([](int32_t a, int32_t b, uint32_t c) {
  return c << (2 * Bits) | clamp<Bits, Signed>(a) << Bits | clamp<Bits, Signed>(b);
});

LaneFn pack(const FormUse& use) {
  const std::string_view type = use.mod(".convertType");
  if (type == ".u16") return kPackTwo<16, false>;
  if (type == ".s16") return kPackTwo<16, true>;
  if (type == ".u8") return kPackThree<8, false>;
  if (type == ".s8") return kPackThree<8, true>;
  if (type == ".u4") return kPackThree<4, false>;
  if (type == ".s4") return kPackThree<4, true>;
  if (type == ".u2") return kPackThree<2, false>;
  return kPackThree<2, true>;
}

}  // namespace

void register_convert_cvt_pack(IsaBuilder& isa) {
  isa.instruction("cvt.pack", "9.7.9.22", "Convert two integers, clamping, and pack them.");
  isa.form("cvt.pack.sat.convertType.s32 d:u32, a:s32, b:s32")
      .set(".convertType", ".u16 .s16")
      .since("6.5")
      .needs("sm_72")
      .op(OpClass::i2i)
      .meaning(pack);
  isa.form("cvt.pack.sat.convertType.s32.b32 d:u32, a:s32, b:s32, c:b32")
      .set(".convertType", ".u2@sm_75 .s2@sm_75 .u4@sm_75 .s4@sm_75 .u8 .s8")
      .since("6.5")
      .needs("sm_72")
      .op(OpClass::i2i)
      .meaning(pack);
}

}  // namespace gpuloom::ptx
