// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.18.1.3 vmad
//
//   vmad.dtype.atype.btype{.sat}{.scale}     d, {-}a{.asel}, {-}b{.bsel}, {-}c;     .scale = { .shr7, .shr15
//   } vmad.dtype.atype.btype.po{.sat}{.scale}  d, a{.asel}, b{.bsel}, c;              a * b + c + 1
//     .dtype = .atype = .btype = { .u32, .s32 }
//
// The sum is exact, then shifted, then saturated: as .s32 where a source is signed or negated, else as .u32.
// Whole registers (c too) count as signed whatever their type, as on the H200; parts extend as the type says.
#include "ptx/isa/table/isa_builder.h"
#include "ptx/isa/video/scalar.h"

namespace gpuloom::ptx {
namespace {

using numeric::int128;

// ScalarVideo::extra: the shift in the low five bits, and
constexpr uint8_t kPlusOne = 0x20, kNegateProduct = 0x40, kNegateC = 0x80;

int64_t factor(uint32_t value, Part part, bool is_signed_type) {
  return extract(value, part, is_signed_type || part.bits == 32);
}

constexpr uint32_t multiply_add(const ScalarVideo& v, int64_t a, int64_t b, uint32_t c) {
  const bool signed_result = v.a_signed || v.b_signed || (v.extra & (kNegateProduct | kNegateC)) != 0;
  int128 sum = static_cast<int128>(a) * b;
  if ((v.extra & kNegateProduct) != 0) sum = -sum;
  if ((v.extra & kNegateC) != 0) c = ~c;
  sum += static_cast<int32_t>(c);
  if ((v.extra & (kPlusOne | kNegateC)) != 0) sum += 1;
  sum >>= v.extra & 31;
  // An unsigned sum that is scaled counts as 64 unsigned bits, so that a negative one is large.
  if (!signed_result && (v.extra & 31) != 0) sum = static_cast<int128>(static_cast<uint64_t>(sum));
  if (v.saturate) {
    const int128 low = signed_result ? static_cast<int128>(INT32_MIN) : 0;
    const int128 high = signed_result ? static_cast<int128>(INT32_MAX) : static_cast<int128>(UINT32_MAX);
    sum = sum < low ? low : (sum > high ? high : sum);
  }
  return static_cast<uint32_t>(sum);
}

void vmad(Warp& w, const Instr& in, uint32_t lanes) {
  const auto v = std::bit_cast<ScalarVideo>(in.imm);
  const uint32_t* a = source<uint32_t>(w, in.ops[1]);
  const uint32_t* b = source<uint32_t>(w, in.ops[2]);
  const uint32_t* c = source<uint32_t>(w, in.ops[3]);
  uint32_t* d = row<uint32_t>(w, in.ops[0]);
  for (uint32_t left = lanes; left != 0; left &= left - 1) {
    const int l = std::countr_zero(left);
    d[l] = multiply_add(v, factor(a[l], v.a, v.a_signed), factor(b[l], v.b, v.b_signed), c[l]);
  }
}

void encode(const FormUse& use, Instr& in) {
  ScalarVideo v = scalar_video_of(use);
  unsigned extra = use.has(".shr7") ? 7 : (use.has(".shr15") ? 15 : 0);
  if (use.has(".po")) extra |= kPlusOne;
  if (use.operand(1).negated != use.operand(2).negated) extra |= kNegateProduct;
  if (use.operand(3).negated) extra |= kNegateC;
  v.extra = static_cast<uint8_t>(extra);
  keep(v, in);
}

std::string check(const FormUse& use) {
  const bool any = use.operand(1).negated || use.operand(2).negated || use.operand(3).negated;
  return use.has(".po") && any ? ".po does not go with negated operands" : "";
}

}  // namespace

void register_video_vmad(IsaBuilder& isa) {
  isa.instruction("vmad", "9.7.18.1.3", "Multiply parts of registers, add, and scale.");
  isa.form("vmad.dtype.atype.btype{.po}{.sat}{.scale} d:.dtype, a:.atype, b:.btype, c:.dtype")
      .set(".dtype", ".u32 .s32")
      .set(".atype", ".u32 .s32")
      .set(".btype", ".u32 .s32")
      .set(".scale", ".shr7 .shr15")
      .since("2.0")
      .needs("sm_20")
      .op(OpClass::video)
      .check(check)
      .encode(encode)
      .meaning(vmad);
}

}  // namespace gpuloom::ptx
