// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.14.4.3 wmma.load
//
//   wmma.load.{a,b,c}.sync.aligned.layout.shape{.ss}.type r, [p]{, stride};
//
// Which elements a lane gets is for the implementation to choose: ptx/exec/matrix/fragment.h.
#include "ptx/exec/simt.h"
#include "ptx/isa/matrix/wmma.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

WmmaTile tile_of(const FormUse& use) {
  WmmaTile t;
  t.matrix = use.has(".a") ? WmmaMatrix::kA : use.has(".b") ? WmmaMatrix::kB : WmmaMatrix::kC;
  t.shape = parse_shape(use.mod(".shape"));
  t.type = use.type(".type");
  t.row = !use.has(".col");
  return t;
}

void encode(const FormUse& use, Instr& in) {
  encode_memory(use, in, 1);
  in.extra = pack(tile_of(use));
}

std::string check(const FormUse& use) { return tile_problem(use, 0, tile_of(use), "r"); }

void wmma_load(Warp& w, const Instr& in, uint32_t lanes) {
  lanes = sync_lanes(w, in, lanes, ~0u);
  if (lanes == 0) return;
  const WmmaTile t = unpack_tile(in.extra);
  load_tile(w, in, lanes, in.ops[1], access_of(w, in.ops[2], t), in.ops[0], static_cast<int>(t.registers()));
}

OpClass class_of(const FormUse& use) { return memory_class(use, OpClass::ldg, OpClass::lds, OpClass::ldgen); }

FormBuilder load(IsaBuilder& isa, const char* syntax, std::string_view shapes, std::string_view types) {
  FormBuilder form = isa.form(syntax);
  form.set(".shape", shapes)
      .set(".ss", kWmmaSpaces)
      .set(".type", types)
      .kind(InstrKind::kLoad)
      .op(class_of)
      .encode(encode)
      .check(check)
      .meaning(wmma_load)
      .since("6.0")
      .needs("sm_70");
  return form;
}

constexpr const char* kA = "wmma.load.a.sync.aligned.layout.shape{.ss}.type d+:any, [p]{, stride:u32}";
constexpr const char* kB = "wmma.load.b.sync.aligned.layout.shape{.ss}.type d+:any, [p]{, stride:u32}";
constexpr const char* kC = "wmma.load.c.sync.aligned.layout.shape{.ss}.type d+:any, [p]{, stride:u32}";
constexpr const char* kSubA = "wmma.load.a.sync.aligned.row.shape{.ss}.type d+:any, [p]{, stride:u32}";
constexpr const char* kSubB = "wmma.load.b.sync.aligned.col.shape{.ss}.type d+:any, [p]{, stride:u32}";

}  // namespace

void register_matrix_wmma_load(IsaBuilder& isa) {
  constexpr std::string_view kLayouts = ".row .col";
  isa.instruction("wmma.load", "9.7.14.4.3", "Load a matrix for wmma.mma, one warp.");
  for (const char* syntax : {kA, kB})
    load(isa, syntax, kWmmaShapes, ".f16 .bf16@7.0,sm_80 .u8@6.3,sm_72 .s8@6.3,sm_72")
        .set(".layout", kLayouts);
  load(isa, kC, kWmmaShapes, ".f16 .f32 .s32@6.3,sm_72").set(".layout", kLayouts);
  for (const char* syntax : {kA, kB})
    load(isa, syntax, ".m16n16k8", ".tf32").set(".layout", kLayouts).since("7.0").needs("sm_80");
  load(isa, kC, ".m16n16k8", ".f32").set(".layout", kLayouts).since("7.0").needs("sm_80");
  for (const char* syntax : {kA, kB, kC})
    load(isa, syntax, ".m8n8k4", ".f64").set(".layout", kLayouts).since("7.0").needs("sm_80");
  for (const char* syntax : {kSubA, kSubB}) {
    load(isa, syntax, ".m8n8k32", ".u4 .s4").since("6.3").needs("sm_75");
    load(isa, syntax, ".m8n8k128", ".b1").since("6.3").needs("sm_75");
  }
  load(isa, kC, ".m8n8k32 .m8n8k128", ".s32").set(".layout", kLayouts).since("6.3").needs("sm_75");
}

}  // namespace gpuloom::ptx
