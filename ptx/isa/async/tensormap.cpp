// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.28 tensormap.replace, 9.7.13.17 tensormap.cp_fenceproxy
//
//   tensormap.replace.mode.field1{.ss}.b1024.type  [addr], new_val;
//   tensormap.replace.mode.field2{.ss}.b1024.type  [addr], ord, new_val;
//   tensormap.replace.mode.field3{.ss}.b1024.type  [addr], new_val;
//   tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned  [dst], [src],
//   size;
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

FormBuilder common(FormBuilder form) {
  return form.since("8.3")
      .needs("sm_90a sm_100f")
      .op(OpClass::utma)
      .not_modelled("tensor maps are not modelled yet");
}
FormBuilder replace(FormBuilder form) {
  return common(form).set(".ss", ".global .shared::cta").set(".type", ".b32 .b64");
}

}  // namespace

void register_async_tensormap(IsaBuilder& isa) {
  isa.instruction("tensormap.replace", "9.7.9.28", "Modify a field of a tensor map.");
  replace(isa.form("tensormap.replace.tile.field1{.ss}.b1024.type [a], b"))
      .set(".field1", ".global_address .rank");
  replace(isa.form("tensormap.replace.tile.field2{.ss}.b1024.type [a], #ord, b"))
      .set(".field2", ".box_dim .global_dim .global_stride .element_stride");
  replace(isa.form("tensormap.replace.tile.field3{.ss}.b1024.type [a], #b"))
      .set(".field3", ".elemtype .interleave_layout .swizzle_mode .fill_mode .swizzle_atomicity@8.6");
  isa.instruction("tensormap.cp_fenceproxy", "9.7.13.17", "Copy a tensor map and fence its proxy.");
  common(isa.form("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned "
                  "[dst], [src], #size"))
      .set(".scope", ".cta .cluster .gpu .sys")
      .needs("sm_90");
}

}  // namespace gpuloom::ptx
