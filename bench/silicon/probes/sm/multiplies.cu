// SPDX-License-Identifier: Apache-2.0
// Integer multiplications of which the upper half counts: alone, and beside operations of each pipe.
#include "probe.cuh"

#define HI(sign, j) asm volatile("mul.hi." sign "32 %0, %0, %1;" : "+r"(s.r[j]) : "r"(s.lane))
#define LOW(j) asm volatile("mad.lo.s32 %0, %0, %1, %2;" : "+r"(s.q[j]) : "r"(s.lane), "r"(s.warp))
#define LOGIC(j) asm volatile("lop3.b32 %0, %0, %1, %2, 0xe8;" : "+r"(s.q[j]) : "r"(s.lane), "r"(s.warp))
#define FLOAT(j) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(s.f[j]) : "f"(1.5f), "f"(0.5f))
#define WIDE(j) \
  asm volatile("{ .reg .b32 a, b; mov.b64 {a, b}, %0; mul.wide.u32 %0, a, b; }" : "+l"(s.l[j]))
#define CARRIES(j) \
  asm volatile("{ .reg .b32 a, b; mov.b64 {a, b}, %0; add.cc.u32 a, a, %1; addc.u32 b, b, %2; mov.b64 %0, {a, b}; }" \
               : "+l"(s.l[j]) : "r"(s.lane), "r"(s.warp))

OP(HiU, HI("u", 0))
OP(HiS, HI("s", 0))
OP(Wide, WIDE(0))
OP(HiU8, HI("u", k & 7))
OP(HiS8, HI("s", k & 7))
OP(Wide8, WIDE(k & 7))
OP(Low8, LOW(k & 7))
OP(HiLow8, HI("u", k & 7); LOW(k & 7))
OP(HiLogic8, HI("u", k & 7); LOGIC(k & 7))
OP(HiLogicLogic8, HI("u", k & 7); LOGIC(k & 7); LOGIC((k + 4) & 7))
OP(HiFloat8, HI("u", k & 7); FLOAT(k & 7))
OP(HiFloatFloat8, HI("u", k & 7); FLOAT(k & 7); FLOAT((k + 4) & 7))
OP(WideLow8, WIDE(k & 7); LOW(k & 7))
OP(WideLogic8, WIDE(k & 7); LOGIC(k & 7))
OP(WideLogicLogic8, WIDE(k & 7); LOGIC(k & 7); LOGIC((k + 4) & 7))
OP(WideFloat8, WIDE(k & 7); FLOAT(k & 7))
OP(WideFloatFloat8, WIDE(k & 7); FLOAT(k & 7); FLOAT((k + 4) & 7))
OP(HiWide8, HI("u", k & 7); WIDE(k & 7))
OP(Carries8, CARRIES(k & 7))

void multiplies() {
#define LAT(T) probe<T>("lat_" #T)
  LAT(HiU); LAT(HiS); LAT(Wide);
#define RATE(T) probe<T, 32, 96>("rate_" #T, {1, 4, 8, 16, 32})
  RATE(HiU8); RATE(HiS8); RATE(Wide8); RATE(Low8);
  RATE(HiLow8); RATE(HiLogic8); RATE(HiLogicLogic8); RATE(HiFloat8); RATE(HiFloatFloat8);
  RATE(WideLow8); RATE(WideLogic8); RATE(WideLogicLogic8); RATE(WideFloat8); RATE(WideFloatFloat8); RATE(HiWide8); RATE(Carries8);
}
