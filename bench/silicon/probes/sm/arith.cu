// SPDX-License-Identifier: Apache-2.0
// Arithmetic, conversions, warp-wide operations, matrix operations.
#include "probe.cuh"

#define R1(text) asm volatile(text : "+r"(s.r[0]) : "r"(s.r[1]), "r"(s.r[2]))
#define R8(text) asm volatile(text : "+r"(s.r[k & 7]) : "r"(s.lane), "r"(s.warp))
#define F1(text) asm volatile(text : "+f"(s.f[0]) : "f"(s.f[1]), "f"(s.f[2]))
#define F8(text) asm volatile(text : "+f"(s.f[k & 7]) : "f"(1.5f), "f"(0.5f))

OP(Iadd, R1("add.s32 %0, %0, %1;"))
OP(Imad, R1("mad.lo.s32 %0, %0, %1, %2;"))
OP(ImadHi, R1("mad.hi.s32 %0, %0, %1, %2;"))
OP(ImadWide, asm volatile("{ .reg .s32 a, b; mov.b64 {a, b}, %0; mad.wide.s32 %0, a, %1, %0; }" : "+l"(s.l[0]) : "r"(s.r[1])))
OP(Lop3, R1("lop3.b32 %0, %0, %1, %2, 0xe8;"))
OP(Shl, R1("shl.b32 %0, %0, %1;"))
OP(Shf, R1("shf.l.wrap.b32 %0, %0, %1, %2;"))
OP(Prmt, R1("prmt.b32 %0, %0, %1, %2;"))
OP(Min, R1("min.s32 %0, %0, %1;"))
OP(Sad, R1("sad.s32 %0, %0, %1, %2;"))
OP(Dp4a, R1("dp4a.s32.s32 %0, %0, %1, %2;"))
OP(SetpSel, asm volatile("{ .reg .pred p; setp.lt.s32 p, %0, %1; selp.s32 %0, %2, %1, p; }" : "+r"(s.r[0]) : "r"(s.r[1]), "r"(s.r[2])))
OP(SetpGuard, asm volatile("{ .reg .pred p; setp.lt.s32 p, %0, %1; @p add.s32 %0, %0, %2; }" : "+r"(s.r[0]) : "r"(s.r[1]), "r"(s.r[2])))
OP(Popc, R1("popc.b32 %0, %0;"))
OP(PopcAdd, R1("popc.b32 %0, %0; add.s32 %0, %0, %1;"))
OP(Clz, R1("clz.b32 %0, %0; add.s32 %0, %0, %1;"))
OP(Brev, R1("brev.b32 %0, %0; add.s32 %0, %0, %1;"))
OP(Fadd, F1("add.rn.f32 %0, %0, %1;"))
OP(Ffma, F1("fma.rn.f32 %0, %0, %1, %2;"))
OP(Fmin, F1("min.f32 %0, %0, %1;"))
OP(FsetpSel, asm volatile("{ .reg .pred p; setp.lt.f32 p, %0, %1; selp.f32 %0, %2, %1, p; }" : "+f"(s.f[0]) : "f"(s.f[1]), "f"(s.f[2])))
OP(Ex2, F1("ex2.approx.ftz.f32 %0, %0;"))
OP(Rcp, F1("rcp.approx.ftz.f32 %0, %0;"))
OP(Sin, F1("sin.approx.ftz.f32 %0, %0;"))
OP(Tanh, F1("tanh.approx.f32 %0, %0;"))
OP(F2I, asm volatile("{ .reg .s32 t; cvt.rzi.s32.f32 t, %0; mov.b32 %0, t; }" : "+f"(s.f[0])))
OP(I2F, asm volatile("{ .reg .f32 t; cvt.rn.f32.s32 t, %0; mov.b32 %0, t; }" : "+r"(s.r[0])))
OP(I2F16, asm volatile("{ .reg .b16 t; .reg .b16 z; cvt.rn.f16.s32 t, %0; mov.b32 %0, {t, t}; }" : "+r"(s.r[0])))
OP(F2H, asm volatile("{ .reg .b16 t; cvt.rn.f16.f32 t, %0; cvt.f32.f16 %0, t; }" : "+f"(s.f[0])))
OP(Frnd, F1("cvt.rni.f32.f32 %0, %0;"))
OP(F2D2F, asm volatile("{ .reg .f64 t; cvt.f64.f32 t, %0; cvt.rn.f32.f64 %0, t; }" : "+f"(s.f[0])))
OP(Hfma2, R1("fma.rn.f16x2 %0, %0, %1, %2;"))
OP(Hadd2, R1("add.rn.f16x2 %0, %0, %1;"))
OP(Bfma2, R1("fma.rn.bf16x2 %0, %0, %1, %2;"))
OP(Hmin2, R1("min.f16x2 %0, %0, %1;"))
OP(Dadd, asm volatile("add.rn.f64 %0, %0, %1;" : "+d"(s.d[0]) : "d"(s.d[1])))
OP(Dmul, asm volatile("mul.rn.f64 %0, %0, %1;" : "+d"(s.d[0]) : "d"(s.d[1])))
OP(Dfma, asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(s.d[0]) : "d"(s.d[1])))
OP(DsetpSel, asm volatile("{ .reg .pred p; setp.lt.f64 p, %0, %1; selp.f64 %0, %2, %1, p; }" : "+d"(s.d[0]) : "d"(s.d[1]), "d"(2.0)))
OP(ShflIdx, R1("shfl.sync.idx.b32 %0, %0, 3, 31, -1;"))
OP(ShflBfly, R1("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;"))
OP(Ballot, asm volatile("{ .reg .pred p; setp.ne.s32 p, %0, 7; vote.sync.ballot.b32 %0, p, -1; }" : "+r"(s.r[0])))
OP(BallotAdd, asm volatile("{ .reg .pred p; setp.ne.s32 p, %0, 7; vote.sync.ballot.b32 %0, p, -1; add.s32 %0, %0, %1; }" : "+r"(s.r[0]) : "r"(s.lane)))
OP(MatchAny, R1("match.any.sync.b32 %0, %0, -1;"))
OP(ReduxAdd, asm volatile("redux.sync.add.s32 %0, %0, -1; add.s32 %0, %0, %1;" : "+r"(s.r[0]) : "r"(s.lane)))
OP(ReduxMin, asm volatile("redux.sync.min.s32 %0, %0, -1; add.s32 %0, %0, %1;" : "+r"(s.r[0]) : "r"(s.lane)))
OP(ReduxOr, asm volatile("redux.sync.or.b32 %0, %0, -1; add.s32 %0, %0, %1;" : "+r"(s.r[0]) : "r"(s.lane)))
OP(WarpSync, asm volatile("bar.warp.sync -1; add.s32 %0, %0, %1;" : "+r"(s.r[0]) : "r"(s.lane)))
OP(Activemask, asm volatile("{ .reg .b32 m; activemask.b32 m; add.s32 %0, %0, m; }" : "+r"(s.r[0])))
OP(LaneMask, asm volatile("{ .reg .b32 m; mov.u32 m, %%lanemask_lt; add.s32 %0, %0, m; }" : "+r"(s.r[0])))
OP(ClockRead, asm volatile("{ .reg .b32 m; mov.u32 m, %%clock; add.s32 %0, %0, m; }" : "+r"(s.r[0])))
OP(SmidRead, asm volatile("{ .reg .b32 m; mov.u32 m, %%smid; add.s32 %0, %0, m; }" : "+r"(s.r[0])))
OP(Mul64, asm volatile("mul.lo.s64 %0, %0, %1;" : "+l"(s.l[0]) : "l"(s.l[1])))
OP(Shl64, asm volatile("shl.b64 %0, %0, %1;" : "+l"(s.l[0]) : "r"(s.r[1])))
OP(Movmatrix, R1("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;"))
// Rates: eight chains.
OP(Iadd8, R8("add.s32 %0, %0, %1;"))
OP(Imad8, R8("mad.lo.s32 %0, %0, %1, %2;"))
OP(ImadHi8, R8("mad.hi.s32 %0, %0, %1, %2;"))
OP(Wide8, asm volatile("mad.wide.s32 %0, %1, %2, %0;" : "+l"(s.l[k & 1]) : "r"(s.r[k & 7]), "r"(s.r[1])))
OP(Lop8, R8("lop3.b32 %0, %0, %1, %2, 0xe8;"))
OP(Ffma8, F8("fma.rn.f32 %0, %0, %1, %2;"))
OP(FfmaImad8, F8("fma.rn.f32 %0, %0, %1, %2;"); R8("mad.lo.s32 %0, %0, %1, %2;"))
OP(FfmaIadd8, F8("fma.rn.f32 %0, %0, %1, %2;"); R8("lop3.b32 %0, %0, %1, %2, 0xe8;"))
OP(Ex28, F8("ex2.approx.ftz.f32 %0, %0;"))
OP(Popc8, R8("popc.b32 %0, %0;"))
OP(F2I8, asm volatile("{ .reg .s32 t; cvt.rzi.s32.f32 t, %0; mov.b32 %0, t; }" : "+f"(s.f[k & 7])))
OP(I2F8, asm volatile("{ .reg .f32 t; cvt.rn.f32.s32 t, %0; mov.b32 %0, t; }" : "+r"(s.r[k & 7])))
OP(F2H8, asm volatile("{ .reg .b16 t; cvt.rn.f16.f32 t, %0; mov.b32 %0, {t, t}; }" : "+f"(s.f[k & 7])))
OP(Hfma28, R8("fma.rn.f16x2 %0, %0, %1, %2;"))
OP(Dfma8, asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(s.d[k & 1]) : "d"(1.5)))
OP(Shfl8, R8("shfl.sync.idx.b32 %0, %0, 3, 31, -1;"))
OP(Ballot8, asm volatile("{ .reg .pred p; setp.ne.s32 p, %0, 7; vote.sync.ballot.b32 %0, p, -1; }" : "+r"(s.r[k & 7])))
OP(Redux8, asm volatile("redux.sync.add.s32 %0, %0, -1; add.s32 %0, %0, %1;" : "+r"(s.r[k & 7]) : "r"(s.lane)))
OP(Prmt8, R8("prmt.b32 %0, %0, %1, %2;"))
OP(Setp8, asm volatile("{ .reg .pred p; setp.lt.s32 p, %0, %1; selp.s32 %0, %2, %1, p; }" : "+r"(s.r[k & 7]) : "r"(s.lane), "r"(s.warp)))

#define MMA(name, shape, tail, a, b)                                                                            \
  OP(name, asm volatile("mma.sync.aligned." shape " {%0,%1,%2,%3}, " a ", " b ", {%0,%1,%2,%3};"                 \
                        : "+f"(s.f[0]), "+f"(s.f[1]), "+f"(s.f[2]), "+f"(s.f[3]) : "r"(s.r[0]), "r"(s.r[1])))    \
  OP(name##8, asm volatile("mma.sync.aligned." shape " {%0,%1,%2,%3}, " a ", " b ", {%0,%1,%2,%3};"              \
                           : "+f"(s.f[(k & 1) * 4]), "+f"(s.f[(k & 1) * 4 + 1]), "+f"(s.f[(k & 1) * 4 + 2]),     \
                             "+f"(s.f[(k & 1) * 4 + 3]) : "r"(s.r[0]), "r"(s.r[1])))
#define MMAI(name, shape, a, b)                                                                                 \
  OP(name, asm volatile("mma.sync.aligned." shape " {%0,%1,%2,%3}, " a ", " b ", {%0,%1,%2,%3};"                 \
                        : "+r"(s.r[2]), "+r"(s.r[3]), "+r"(s.r[4]), "+r"(s.r[5]) : "r"(s.r[0]), "r"(s.r[1])))
MMA(MmaF16k8, "m16n8k8.row.col.f32.f16.f16.f32", , "{%4,%5}", "{%4}")
MMA(MmaF16k16, "m16n8k16.row.col.f32.f16.f16.f32", , "{%4,%5,%4,%5}", "{%4,%5}")
MMA(MmaBf16k16, "m16n8k16.row.col.f32.bf16.bf16.f32", , "{%4,%5,%4,%5}", "{%4,%5}")
MMA(MmaTf32k4, "m16n8k4.row.col.f32.tf32.tf32.f32", , "{%4,%5}", "{%4}")
MMA(MmaTf32k8, "m16n8k8.row.col.f32.tf32.tf32.f32", , "{%4,%5,%4,%5}", "{%4,%5}")
MMA(MmaE4m3, "m16n8k32.row.col.f32.e4m3.e4m3.f32", , "{%4,%5,%4,%5}", "{%4,%5}")
MMAI(MmaS8k16, "m16n8k16.row.col.s32.s8.s8.s32", "{%4,%5}", "{%4}")
MMAI(MmaS8k32, "m16n8k32.row.col.s32.s8.s8.s32", "{%4,%5,%4,%5}", "{%4,%5}")
OP(MmaF16acc, asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%2,%3}, {%2,%3}, {%0,%1};" : "+r"(s.r[2]), "+r"(s.r[3]) : "r"(s.r[0]), "r"(s.r[1])))
OP(MmaF16acc8, asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%2,%3}, {%2,%3}, {%0,%1};" : "+r"(s.r[(k & 3) * 2]), "+r"(s.r[(k & 3) * 2 + 1]) : "r"(s.lane), "r"(s.warp)))
OP(MmaF64, asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%2}, {%0,%1};" : "+d"(s.d[0]), "+d"(s.d[1]) : "d"(1.5)))

void arithmetic() {
#define LAT(T) probe<T>("lat_" #T)
  LAT(Iadd); LAT(Imad); LAT(ImadHi); LAT(ImadWide); LAT(Lop3); LAT(Shl); LAT(Shf); LAT(Prmt); LAT(Min); LAT(Sad);
  LAT(Dp4a); LAT(SetpSel); LAT(SetpGuard); LAT(Popc); LAT(PopcAdd); LAT(Clz); LAT(Brev); LAT(Fadd); LAT(Ffma);
  LAT(Fmin); LAT(FsetpSel); LAT(Ex2); LAT(Rcp); LAT(Sin); LAT(Tanh); LAT(F2I); LAT(I2F); LAT(I2F16); LAT(F2H);
  LAT(Frnd); LAT(F2D2F); LAT(Hfma2); LAT(Hadd2); LAT(Bfma2); LAT(Hmin2); LAT(Dadd); LAT(Dmul); LAT(Dfma);
  LAT(DsetpSel); LAT(ShflIdx); LAT(ShflBfly); LAT(Ballot); LAT(BallotAdd); LAT(MatchAny); LAT(ReduxAdd);
  LAT(ReduxMin); LAT(ReduxOr); LAT(WarpSync); LAT(Activemask); LAT(LaneMask); LAT(ClockRead); LAT(SmidRead);
  LAT(Mul64); LAT(Shl64); LAT(Movmatrix);
  LAT(MmaF16k8); LAT(MmaF16k16); LAT(MmaBf16k16); LAT(MmaTf32k4); LAT(MmaTf32k8); LAT(MmaE4m3); LAT(MmaS8k16);
  LAT(MmaS8k32); LAT(MmaF16acc); LAT(MmaF64);
#define RATE(T) probe<T, 32, 96>("rate_" #T, {1, 4, 8, 16, 32})
  RATE(Iadd8); RATE(Imad8); RATE(ImadHi8); RATE(Wide8); RATE(Lop8); RATE(Ffma8); RATE(FfmaImad8); RATE(FfmaIadd8); RATE(Ex28);
  RATE(Popc8); RATE(F2I8); RATE(I2F8); RATE(F2H8); RATE(Hfma28); RATE(Dfma8); RATE(Shfl8); RATE(Ballot8); RATE(Redux8);
  RATE(Prmt8); RATE(Setp8); RATE(MmaF16k88); RATE(MmaF16k168); RATE(MmaTf32k88); RATE(MmaE4m38); RATE(MmaF16acc8);
  RATE(MmaS8k32); RATE(MmaF64); RATE(MatchAny); RATE(Movmatrix);
}
