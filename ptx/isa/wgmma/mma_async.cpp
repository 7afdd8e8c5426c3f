// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.15.5.2 wgmma.mma_async
//
//   wgmma.mma_async.sync.aligned.shape{.satfinite}.dtype.atype.btype{.op.popc}
//       d, a, b-desc, scale-d{, imm-scale-a, imm-scale-b{, imm-trans-a}, imm-trans-b};
#include "ptx/isa/wgmma/wgmma_multiply.h"
#include "ptx/isa/wgmma/wgmma_shapes.h"

namespace gpuloom::ptx {
void register_wgmma_mma_async(IsaBuilder& isa) {
  isa.instruction("wgmma.mma_async", "9.7.15.5.2",
                  "Multiply and add matrices, one warpgroup, asynchronously.");
  // A from shared memory (a descriptor) or from registers (a list); transposition of A only from shared
  // memory.
  for (const char* types : {"f16", "bf16"}) {
    const std::string type = std::string(".") + types;
    const std::string head = "wgmma.mma_async.sync.aligned.shape.dtype.atype.btype d+:any";
    for (const char* operands : {", a:b64, b:b64, {!}s:pred, #ia:s32, #ib:s32, #ta:s32, #tb:s32",
                                 ", a+:any, b:b64, {!}s:pred, #ia:s32, #ib:s32, #tb:s32"})
      wgmma::common<false>(isa.form(head + operands))
          .set(".shape", float_shapes(16))
          .set(".dtype", type == ".f16" ? ".f16 .f32" : ".f32")
          .set(".atype", type)
          .set(".btype", type);
  }
  constexpr const char* kScaled[] = {
      "wgmma.mma_async.sync.aligned.shape.dtype.atype.btype d+:any, a:b64, b:b64, {!}s:pred, #ia:s32, "
      "#ib:s32",
      "wgmma.mma_async.sync.aligned.shape.dtype.atype.btype d+:any, a+:any, b:b64, {!}s:pred, #ia:s32, "
      "#ib:s32"};
  for (const char* syntax : kScaled) {
    wgmma::common<false>(isa.form(syntax))
        .set(".shape", float_shapes(8))
        .set(".dtype", ".f32")
        .set(".atype", ".tf32")
        .set(".btype", ".tf32");
    wgmma::common<false>(isa.form(syntax))
        .set(".shape", float_shapes(32))
        .set(".dtype", ".f16 .f32")
        .set(".atype", ".e4m3 .e5m2")
        .set(".btype", ".e4m3 .e5m2");
  }
  for (const char* syntax :
       {"wgmma.mma_async.sync.aligned.shape{.satfinite}.s32.atype.btype d+:any, a:b64, b:b64, {!}s:pred",
        "wgmma.mma_async.sync.aligned.shape{.satfinite}.s32.atype.btype d+:any, a+:any, b:b64, {!}s:pred"})
    wgmma::common<false>(isa.form(syntax))
        .set(".shape", integer_shapes(32))
        .set(".atype", ".s8 .u8")
        .set(".btype", ".s8 .u8");
  for (const char* syntax :
       {"wgmma.mma_async.sync.aligned.shape.s32.b1.b1.and.popc d+:any, a:b64, b:b64, {!}s:pred",
        "wgmma.mma_async.sync.aligned.shape.s32.b1.b1.and.popc d+:any, a+:any, b:b64, {!}s:pred"})
    wgmma::common<false>(isa.form(syntax)).set(".shape", integer_shapes(256));
}

}  // namespace gpuloom::ptx
