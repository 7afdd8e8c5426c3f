// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.1.12 min, 9.7.1.13 max
//
//   min.atype         d, a, b;     .atype = { .u16, .u32, .u64, .u16x2, .s16, .s64 }
//   min{.relu}.btype  d, a, b;     .btype = { .s16x2, .s32 }
//   max               likewise
//
// .relu clamps a negative result to zero. nvcc's headers write it behind the type.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

// The one of two values that goes on.
struct Smaller {
  template <class T>
  static constexpr T of(T a, T b) {
    return a < b ? a : b;
  }
};
struct Larger {
  template <class T>
  static constexpr T of(T a, T b) {
    return a > b ? a : b;
  }
};

template <class Choice>
struct Meanings {
  template <class T>
  static constexpr T clamped(T a, T b) {
    return Choice::of(a, b) < 0 ? T{0} : Choice::of(a, b);
  }
  static LaneFn plain(const FormUse& use) {
    return by_type<uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>(
        use.type(), []<class T>(T) { return per_lane([](T a, T b) -> T { return Choice::of(a, b); }); });
  }
  static constexpr LaneFn kRelu = per_lane([](int32_t a, int32_t b) { return clamped(a, b); });
  static constexpr LaneFn kU16x2 = per_lane([](U16x2 a, U16x2 b) {
    return U16x2{Choice::of(a.lower, b.lower), Choice::of(a.upper, b.upper)};
  });
  static constexpr LaneFn kS16x2 = per_lane([](S16x2 a, S16x2 b) {
    return S16x2{Choice::of(a.lower, b.lower), Choice::of(a.upper, b.upper)};
  });
  static constexpr LaneFn kS16x2Relu = per_lane([](S16x2 a, S16x2 b) {
    return S16x2{clamped(a.lower, b.lower), clamped(a.upper, b.upper)};
  });
};

template <class Choice>
void declare(IsaBuilder& isa, const std::string& name, const char* section, const char* summary) {
  using M = Meanings<Choice>;
  isa.instruction(name, section, summary);
  isa.form(name + ".type d, a, b")
      .set(".type", ".u16 .u32 .u64 .s16 .s32 .s64")
      .op(minmax_class)
      .meaning(M::plain);
  const auto simd = [&](const char* modifiers, LaneFn loop) {
    isa.form(name + modifiers + " d, a, b").since("8.0").needs("sm_90").op(OpClass::vsimd).meaning(loop);
  };
  simd(".relu.s32", M::kRelu);
  simd(".s32.relu", M::kRelu);
  simd(".u16x2", M::kU16x2);
  simd(".s16x2", M::kS16x2);
  simd(".relu.s16x2", M::kS16x2Relu);
  simd(".s16x2.relu", M::kS16x2Relu);
}

}  // namespace

void register_integer_min_max(IsaBuilder& isa) {
  declare<Smaller>(isa, "min", "9.7.1.12", "The smaller of two integers.");
  declare<Larger>(isa, "max", "9.7.1.13", "The larger of two integers.");
}

}  // namespace gpuloom::ptx
