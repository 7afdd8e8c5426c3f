// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.1.12 min
//
//   min.atype         d, a, b;     .atype = { .u16, .u32, .u64, .u16x2, .s16, .s64 }
//   min{.relu}.btype  d, a, b;     .btype = { .s16x2, .s32 }
//
// .relu clamps a negative result to zero. nvcc's headers write it behind the type.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

template <class T>
constexpr T chosen(T a, T b) {
  return a < b ? a : b;
}
template <class T>
constexpr T clamped(T a, T b) {
  return chosen(a, b) < 0 ? T{0} : chosen(a, b);
}

LaneFn min(const FormUse& use) {
  return by_type<uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>(
      use.type(), []<class T>(T) { return per_lane([](T a, T b) -> T { return chosen(a, b); }); });
}

constexpr LaneFn kRelu = per_lane([](int32_t a, int32_t b) { return clamped(a, b); });
constexpr LaneFn kU16x2 = per_lane([](U16x2 a, U16x2 b) {
  return U16x2{chosen(a.lower, b.lower), chosen(a.upper, b.upper)};
});
constexpr LaneFn kS16x2 = per_lane([](S16x2 a, S16x2 b) {
  return S16x2{chosen(a.lower, b.lower), chosen(a.upper, b.upper)};
});
constexpr LaneFn kS16x2Relu = per_lane([](S16x2 a, S16x2 b) {
  return S16x2{clamped(a.lower, b.lower), clamped(a.upper, b.upper)};
});

}  // namespace

void register_integer_min(IsaBuilder& isa) {
  isa.instruction("min", "9.7.1.12", "The smaller of two integers.");
  isa.form("min.type d, a, b").set(".type", ".u16 .u32 .u64 .s16 .s32 .s64").op(minmax_class).meaning(min);
  isa.form("min.relu.s32 d, a, b").since("8.0").needs("sm_90").op(OpClass::vsimd).meaning(kRelu);
  isa.form("min.s32.relu d, a, b").since("8.0").needs("sm_90").op(OpClass::vsimd).meaning(kRelu);
  isa.form("min.u16x2 d, a, b").since("8.0").needs("sm_90").op(OpClass::vsimd).meaning(kU16x2);
  isa.form("min.s16x2 d, a, b").since("8.0").needs("sm_90").op(OpClass::vsimd).meaning(kS16x2);
  isa.form("min.relu.s16x2 d, a, b").since("8.0").needs("sm_90").op(OpClass::vsimd).meaning(kS16x2Relu);
  isa.form("min.s16x2.relu d, a, b").since("8.0").needs("sm_90").op(OpClass::vsimd).meaning(kS16x2Relu);
}

}  // namespace gpuloom::ptx
