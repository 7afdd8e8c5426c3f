// SPDX-License-Identifier: Apache-2.0
// Operation classes: what kind of machine work an instruction is. Each class has one row under
// `sm.operations` in configs/cc: a primitive class names its pipe, latency and issue interval; a composite
// class names the sequence of primitive classes that the machine runs for it. A class without a row is an
// error when a configuration is loaded. Primitive classes follow the machine opcodes that `cuobjdump -sass`
// shows for sm_90.
#pragma once
#include <cstdint>
#include <string_view>

namespace gpuloom::ptx {

// clang-format off
// X(name, "machine opcode it stands for, or `composite`", "what")
#define GPULOOM_OP_CLASSES(X)                                                          \
  X(none, "-", "takes no machine work (vanishes)")                                     \
  X(nop, "NOP", "no operation")                                                        \
  /* integer */                                                                        \
  X(iadd, "IADD3", "32-bit add or subtract, three inputs, carry in and out")           \
  X(imad, "IMAD", "32-bit multiply-add, low half")                                     \
  X(imad_hi, "IMAD.HI", "32-bit multiply-add, high half")                              \
  X(imad_wide, "IMAD.WIDE", "32x32+64-bit multiply-add")                               \
  X(lea, "LEA", "shift and add")                                                       \
  X(lop3, "LOP3", "three-input logic")                                                 \
  X(shift, "SHF", "shift and funnel shift")                                            \
  X(isetp, "ISETP", "integer compare to predicate")                                    \
  X(iminmax, "IMNMX", "integer minimum or maximum")                                    \
  X(iabs, "IABS", "integer absolute value")                                            \
  X(sel, "SEL", "select by predicate")                                                 \
  X(mov, "MOV", "register move")                                                       \
  X(prmt, "PRMT", "byte permute")                                                      \
  X(bmsk, "BMSK", "bit mask")                                                          \
  X(sgxt, "SGXT", "sign extend from a bit")                                            \
  X(plop3, "PLOP3", "predicate logic")                                                 \
  X(p2r, "P2R", "predicate to register")                                               \
  X(popc, "POPC", "population count")                                                  \
  X(flo, "FLO", "find leading one")                                                    \
  X(upopc, "POPC", "population count on the uniform path")                            \
  X(uflo, "FLO", "find leading one on the uniform path")                              \
  X(brev, "BREV", "bit reverse")                                                       \
  X(idp, "IDP", "dot product of bytes or halves")                                      \
  X(vabsdiff, "VABSDIFF", "video absolute difference")                                 \
  X(vsimd, "VIADD/VIMNMX", "packed integer arithmetic")                                \
  /* float */                                                                          \
  X(fadd, "FADD", "f32 add")                                                           \
  X(fmul, "FMUL", "f32 multiply")                                                      \
  X(ffma, "FFMA", "f32 fused multiply-add")                                            \
  X(fsetp, "FSETP", "f32 compare to predicate")                                        \
  X(fminmax, "FMNMX", "f32 minimum or maximum")                                        \
  X(fsel, "FSEL", "f32 select")                                                        \
  X(fchk, "FCHK", "f32 division range check")                                          \
  X(mufu, "MUFU", "special function: ex2 lg2 rcp rsqrt sin cos sqrt tanh")             \
  X(dadd, "DADD", "f64 add")                                                           \
  X(dmul, "DMUL", "f64 multiply")                                                      \
  X(dfma, "DFMA", "f64 fused multiply-add")                                            \
  X(dsetp, "DSETP", "f64 compare to predicate")                                        \
  X(hadd2, "HADD2", "half add")                                                        \
  X(hmul2, "HMUL2", "half multiply")                                                   \
  X(hfma2, "HFMA2", "half fused multiply-add")                                         \
  X(hsetp2, "HSETP2", "half compare")                                                  \
  X(hminmax2, "HMNMX2", "half minimum or maximum")                                     \
  /* conversion */                                                                     \
  X(f2f, "F2F", "float to float")                                                      \
  X(f2fp, "F2FP", "float to packed half, bf16, fp8")                                   \
  X(f2i, "F2I", "float to integer")                                                    \
  X(i2f, "I2F", "integer to float")                                                    \
  X(frnd, "FRND", "float to integral float")                                           \
  X(i2i, "I2I", "integer width change with saturation")                                \
  X(f2f64, "F2F.F64", "conversion to or from f64")                                     \
  X(f2i64, "F2I.64", "float to 64-bit integer or f64 to integer")                      \
  X(i2f64, "I2F.64", "64-bit integer to float or integer to f64")                      \
  /* memory */                                                                         \
  X(ldg, "LDG", "load, global")                                                        \
  X(stg, "STG", "store, global")                                                       \
  X(lds, "LDS", "load, shared")                                                        \
  X(sts, "STS", "store, shared")                                                       \
  X(ldl, "LDL", "load, local")                                                         \
  X(stl, "STL", "store, local")                                                        \
  X(ldc, "LDC", "load, constant bank with an index")                                   \
  X(ldgen, "LD", "load, generic address")                                              \
  X(stgen, "ST", "store, generic address")                                             \
  X(atomg, "ATOMG", "atomic with result, global or generic")                           \
  X(red, "RED", "atomic without result, global or generic")                            \
  X(atoms, "ATOMS", "atomic, shared")                                                  \
  X(ldsm, "LDSM", "ldmatrix")                                                          \
  X(stsm, "STSM", "stmatrix")                                                          \
  X(movm, "MOVM", "movmatrix")                                                         \
  X(ldgsts, "LDGSTS", "cp.async")                                                      \
  X(ldgdepbar, "LDGDEPBAR", "cp.async.commit_group")                                   \
  X(depbar, "DEPBAR", "cp.async.wait_group")                                           \
  X(ublkcp, "UBLKCP", "bulk copy")                                                     \
  X(ublkred, "UBLKRED", "bulk reduction")                                              \
  X(ublkpf, "UBLKPF", "bulk prefetch to L2")                                           \
  X(utma, "UTMALDG/UTMASTG", "tensor copy")                                            \
  X(utmacmdflush, "UTMACMDFLUSH", "bulk commit or wait group")                         \
  X(syncs, "SYNCS", "mbarrier operation")                                              \
  X(ccctl, "CCTL", "cache control: prefetch, discard, applypriority")                  \
  X(tex, "TEX", "texture fetch")                                                       \
  X(suld, "SULD", "surface load")                                                      \
  X(sust, "SUST", "surface store")                                                     \
  X(qspc, "QSPC", "query space: isspacep")                                             \
  X(mapa, "MAPA", "cluster address map")                                               \
  /* warp and synchronisation */                                                       \
  X(shfl, "SHFL", "shuffle")                                                           \
  X(vote, "VOTE", "vote, activemask")                                                  \
  X(match, "MATCH", "match")                                                           \
  X(redux, "REDUX", "warp reduction")                                                  \
  X(elect, "ELECT", "elect one lane")                                                  \
  X(bar, "BAR", "block barrier")                                                       \
  X(warpsync, "WARPSYNC", "warp barrier")                                              \
  X(endcollective, "ENDCOLLECTIVE", "end of what lanes of one mask do together")       \
  X(membar, "MEMBAR", "memory fence")                                                  \
  X(fence_async, "FENCE.VIEW.ASYNC", "proxy fence")                                    \
  X(ucgabar, "UCGABAR", "cluster barrier")                                             \
  X(acqbulk, "ACQBULK", "griddepcontrol")                                              \
  X(nanosleep, "NANOSLEEP", "sleep")                                                   \
  X(s2r, "S2R", "read special register")                                               \
  X(cs2r, "CS2R", "read clock")                                                        \
  /* control */                                                                        \
  X(bra, "BRA", "branch")                                                              \
  X(brx, "BRX", "indexed branch")                                                      \
  X(bssy, "BSSY", "set convergence barrier")                                           \
  X(bsync, "BSYNC", "wait at convergence barrier")                                     \
  X(bmov, "BMOV", "convergence barrier to or from a register")                         \
  X(call, "CALL", "call")                                                              \
  X(ret, "RET", "return")                                                              \
  X(exit, "EXIT", "end of thread")                                                     \
  X(bpt, "BPT", "trap or breakpoint")                                                  \
  X(setmaxreg, "USETMAXREG", "setmaxnreg")                                             \
  /* matrix */                                                                         \
  X(hmma_884, "HMMA.884", "mma m8n8k4 f16")                                            \
  X(hmma_1688, "HMMA.1688", "mma m16n8k8 f16, bf16; m16n8k4 tf32")                     \
  X(hmma_16816, "HMMA.16816", "mma m16n8k16 f16, bf16; m16n8k8 tf32")                  \
  X(qmma_16832, "QMMA.16832", "mma m16n8k32 fp8")                                      \
  X(imma_8816, "IMMA.8816", "mma m8n8k16 s8")                                          \
  X(imma_16816, "IMMA.16816", "mma m16n8k16 s8")                                       \
  X(imma_16832, "IMMA.16832", "mma m16n8k32 s8, m16n8k64 s4")                          \
  X(bmma, "BMMA", "mma b1")                                                            \
  X(dmma, "DMMA", "mma m8n8k4 f64")                                                    \
  X(wgmma, "WGMMA", "warpgroup mma")                                                   \
  X(warpgroup, "WARPGROUP", "wgmma fence, commit, wait")                               \
  /* composite: a sequence in configs/cc */                                            \
  X(add64, "composite", "64-bit add or subtract")                                      \
  X(mul64, "composite", "64-bit multiply, low half")                                   \
  X(mulhi64, "composite", "64-bit multiply, high half")                                \
  X(logic64, "composite", "64-bit logic")                                              \
  X(shift64, "composite", "64-bit shift")                                              \
  X(setp64, "composite", "64-bit integer compare")                                     \
  X(minmax64, "composite", "64-bit minimum or maximum")                                \
  X(sel64, "composite", "64-bit select")                                               \
  X(mov64, "composite", "64-bit register move")                                        \
  X(tf32_away, "composite", "cvt.rna.tf32")                                            \
  X(bits64, "composite", "64-bit popc, clz, bfind, brev")                              \
  X(bitfield, "composite", "bfe, bfi")                                                 \
  X(sad, "composite", "sum of absolute differences")                                   \
  X(div_s32, "composite", "signed 32-bit division")                                    \
  X(div_u32, "composite", "unsigned 32-bit division")                                  \
  X(rem_s32, "composite", "signed 32-bit remainder")                                   \
  X(rem_u32, "composite", "unsigned 32-bit remainder")                                 \
  X(div_64, "composite", "64-bit division")                                            \
  X(rem_64, "composite", "64-bit remainder")                                           \
  X(div_f32, "composite", "f32 division, IEEE")                                        \
  X(div_f32_full, "composite", "f32 division, full range")                             \
  X(div_f32_scaled, "composite", "f32 division, its operands scaled at one end")       \
  X(div_f32_approx, "composite", "f32 division, approximate")                          \
  X(rcp_f32, "composite", "f32 reciprocal, IEEE")                                      \
  X(sqrt_f32, "composite", "f32 square root, IEEE")                                    \
  X(mufu_denormal, "composite", "special function without .ftz: range scaling around") \
  X(sincos, "composite", "sin.approx and cos.approx: range multiply and MUFU")         \
  X(div_f64, "composite", "f64 division")                                              \
  X(rcp_f64, "composite", "f64 reciprocal")                                            \
  X(sqrt_f64, "composite", "f64 square root")                                          \
  X(rsqrt_f64, "composite", "f64 reciprocal square root")                              \
  X(minmax_f64, "composite", "f64 minimum or maximum")                                 \
  X(video, "composite", "scalar video instruction")                                    \
  X(fns, "composite", "find nth set bit")                                              \
  X(hmma_pair, "composite", "wmma.mma of f16, bf16, tf32: two HMMA")                   \
  X(imma_pair, "composite", "wmma.mma of s8: two IMMA")
// clang-format on

enum class OpClass : uint16_t {
#define X(name, opcode, what) name,
  GPULOOM_OP_CLASSES(X)
#undef X
      count
};

struct OpClassInfo {
  std::string_view name, opcode, what;
  bool composite() const { return opcode == "composite"; }
};
const OpClassInfo& info(OpClass op);
// OpClass::count where no class has this name.
OpClass op_class_named(std::string_view name);

}  // namespace gpuloom::ptx
