// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.3.12 max
//
//   max{.ftz}{.NaN}{.xorsign.abs}.f32  d, a, b;
//   max{.ftz}{.NaN}{.abs}.f32          d, a, b, c;
//   max.f64                            d, a, b;
//
// A NaN is ignored unless .NaN says that it wins; -0 is less than +0. .xorsign.abs compares magnitudes and
// takes the exclusive or of the signs; .abs compares magnitudes.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/floating/floating.h"
#include "ptx/isa/itself.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/arith32.h"
#include "ptx/numeric/arith64.h"

namespace gpuloom::ptx {
namespace {

LaneFn max_f32(const FormUse& use) {
  if (is_move_of_itself(use)) return per_lane([](uint32_t a, uint32_t) { return a; });
  return by_flags(
      []<bool Ftz, bool Nan, bool XorSign>() {
        return per_lane([](float a, float b) { return numeric::max<Ftz, Nan, XorSign>(a, b); });
      },
      use.has(".ftz"), use.has(".NaN"), use.has(".xorsign"));
}

LaneFn max_three(const FormUse& use) {
  return by_flags(
      []<bool Ftz, bool Nan, bool Abs>() {
        return per_lane([](float a, float b, float c) {
          const auto in = [](float x) {
            return Abs ? numeric::float_of(numeric::bits_of(x) & ~numeric::kSign32) : x;
          };
          return numeric::max<Ftz, Nan>(numeric::max<Ftz, Nan>(in(a), in(b)), in(c));
        });
      },
      use.has(".ftz"), use.has(".NaN"), use.has(".abs"));
}

constexpr LaneFn kMaxF64 = per_lane([](double a, double b) { return numeric::max(a, b); });

}  // namespace

void register_floating_max(IsaBuilder& isa) {
  isa.instruction("max", "9.7.3.12", "The larger of floating-point values.");
  isa.form("max{.ftz}{.NaN}.f32 d, a, b").op(OpClass::fminmax).meaning(max_f32);
  isa.form("max{.ftz}{.NaN}.xorsign.abs.f32 d, a, b")
      .since("7.2")
      .needs("sm_86")
      .op(OpClass::fminmax)
      .meaning(max_f32);
  isa.form("max{.ftz}{.NaN}{.abs}.f32 d, a, b, c")
      .since("8.8")
      .needs("sm_100")
      .op(OpClass::fminmax)
      .meaning(max_three);
  isa.form("max.f64 d, a, b").op(OpClass::minmax_f64).meaning(kMaxF64);
}

}  // namespace gpuloom::ptx
