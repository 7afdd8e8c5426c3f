// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.13.12 redux.sync
//
//   redux.sync.op.type           dst, src, membermask;    .op = { .add, .min, .max }, .type = { .u32, .s32 }
//   redux.sync.op.b32            dst, src, membermask;    .op = { .and, .or, .xor }
//   redux.sync.op{.abs}{.NaN}.f32 dst, src, membermask;   .op = { .min, .max }
//
// f32: NaN inputs are left out without .NaN and give the canonical NaN with it; -0 is below +0.
#include "ptx/exec/warp_sync.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/arith32.h"

namespace gpuloom::ptx {
namespace {

template <class T, class F>
void reduce(Warp& w, const Instr& in, uint32_t lanes) {
  lanes = sync_members(w, in, lanes, in.ops[2]);
  if (lanes == 0) return;
  T a[32];
  std::memcpy(a, source<T>(w, in.ops[1]), sizeof a);
  T* d = row<T>(w, in.ops[0]);
  T result[32];
  for_groups(w, lanes, in.ops[2], [&](uint32_t group, uint32_t) {
    const unsigned first = static_cast<unsigned>(std::countr_zero(group));
    T value = F::prepare(a[first]);
    for_lanes(group & (group - 1), [&](unsigned l) { value = F::join(value, F::prepare(a[l])); });
    for_lanes(group, [&](unsigned l) { result[l] = value; });
  });
  for_lanes(lanes, [&](unsigned l) { d[l] = result[l]; });
}

struct Plain {
  template <class T>
  static T prepare(T a) {
    return a;
  }
};
struct Add : Plain {
  template <class T>
  static T join(T a, T b) {
    return a + b;
  }
};
struct Min : Plain {
  template <class T>
  static T join(T a, T b) {
    return b < a ? b : a;
  }
};
struct Max : Plain {
  template <class T>
  static T join(T a, T b) {
    return a < b ? b : a;
  }
};
struct And : Plain {
  static uint32_t join(uint32_t a, uint32_t b) { return a & b; }
};
struct Or : Plain {
  static uint32_t join(uint32_t a, uint32_t b) { return a | b; }
};
struct Xor : Plain {
  static uint32_t join(uint32_t a, uint32_t b) { return a ^ b; }
};
template <bool Largest, bool Absolute, bool NaN>
struct FloatExtreme {
  static float prepare(float a) { return Absolute ? numeric::abs(a) : a; }
  static float join(float a, float b) {
    return Largest ? numeric::max<false, NaN>(a, b) : numeric::min<false, NaN>(a, b);
  }
};

// .add does not care about signs: unsigned arithmetic wraps.
LaneFn pick_integer(const FormUse& use) {
  const bool sign = is_signed(use.type());
  if (use.has(".add")) return reduce<uint32_t, Add>;
  if (use.has(".min")) return sign ? static_cast<LaneFn>(reduce<int32_t, Min>) : reduce<uint32_t, Min>;
  return sign ? static_cast<LaneFn>(reduce<int32_t, Max>) : reduce<uint32_t, Max>;
}
LaneFn pick_bits(const FormUse& use) {
  if (use.has(".and")) return reduce<uint32_t, And>;
  return use.has(".or") ? static_cast<LaneFn>(reduce<uint32_t, Or>) : reduce<uint32_t, Xor>;
}
template <bool Largest>
LaneFn pick_float_extreme(bool absolute, bool nan) {
  if (absolute)
    return nan ? static_cast<LaneFn>(reduce<float, FloatExtreme<Largest, true, true>>)
               : reduce<float, FloatExtreme<Largest, true, false>>;
  return nan ? static_cast<LaneFn>(reduce<float, FloatExtreme<Largest, false, true>>)
             : reduce<float, FloatExtreme<Largest, false, false>>;
}
LaneFn pick_float(const FormUse& use) {
  return use.has(".max") ? pick_float_extreme<true>(use.has(".abs"), use.has(".NaN"))
                         : pick_float_extreme<false>(use.has(".abs"), use.has(".NaN"));
}

FormBuilder common(FormBuilder form) {
  return form.kind(InstrKind::kWarpSync).op(OpClass::redux).since("7.0").needs("sm_80");
}

}  // namespace

void register_warp_redux(IsaBuilder& isa) {
  isa.instruction("redux.sync", "9.7.13.12", "Reduce a value across the threads of a warp.");
  common(isa.form("redux.sync.op.type d, a, membermask:u32"))
      .set(".op", ".add .min .max")
      .set(".type", ".u32 .s32")
      .meaning(pick_integer);
  common(isa.form("redux.sync.op.b32 d, a, membermask:u32")).set(".op", ".and .or .xor").meaning(pick_bits);
  common(isa.form("redux.sync.op{.abs}{.NaN}.f32 d, a, membermask:u32"))
      .set(".op", ".min .max")
      .meaning(pick_float)
      .since("8.6")
      .needs("sm_100a sm_100f");
}

}  // namespace gpuloom::ptx
