// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.14.4.4 wmma.store
//
//   wmma.store.d.sync.aligned.layout.shape{.ss}.type [p], r{, stride};
#include "ptx/exec/simt.h"
#include "ptx/isa/matrix/wmma.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

WmmaTile tile_of(const FormUse& use) {
  return {WmmaMatrix::kC, parse_shape(use.mod(".shape")), use.type(".type"), !use.has(".col")};
}

void encode(const FormUse& use, Instr& in) {
  encode_memory(use, in, 0);
  in.extra = pack(tile_of(use));
}

std::string check(const FormUse& use) { return tile_problem(use, 1, tile_of(use), "r"); }

void wmma_store(Warp& w, const Instr& in, uint32_t lanes) {
  lanes = sync_lanes(w, in, lanes, ~0u);
  if (lanes == 0) return;
  store_tile(w, in, lanes, in.ops[0], access_of(w, in.ops[2], unpack_tile(in.extra)), in.ops[1]);
}

OpClass class_of(const FormUse& use) { return memory_class(use, OpClass::stg, OpClass::sts, OpClass::stgen); }

FormBuilder store(IsaBuilder& isa, std::string_view shapes, std::string_view types) {
  FormBuilder form = isa.form("wmma.store.d.sync.aligned.layout.shape{.ss}.type [p], r+:any{, stride:u32}");
  form.set(".layout", ".row .col")
      .set(".shape", shapes)
      .set(".ss", kWmmaSpaces)
      .set(".type", types)
      .kind(InstrKind::kStore)
      .op(class_of)
      .encode(encode)
      .check(check)
      .meaning(wmma_store);
  return form;
}

}  // namespace

void register_matrix_wmma_store(IsaBuilder& isa) {
  isa.instruction("wmma.store", "9.7.14.4.4", "Store the result of wmma.mma, one warp.");
  store(isa, kWmmaShapes, ".f16 .f32 .s32@6.3,sm_72").since("6.0").needs("sm_70");
  store(isa, ".m16n16k8", ".f32").since("7.0").needs("sm_80");
  store(isa, ".m8n8k4", ".f64").since("7.0").needs("sm_80");
  store(isa, ".m8n8k32 .m8n8k128", ".s32").since("6.3").needs("sm_75");
}

}  // namespace gpuloom::ptx
