// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.27 tensormap.replace
//
//   tensormap.replace.tile.field{.ss}.b1024.type [addr]{, ord}, new_val;
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
void register_tensor_tensormap_replace(IsaBuilder& isa) {
  isa.instruction("tensormap.replace", "9.7.9.27", "Change a field of a tensor map.");
  constexpr std::string_view kReason = "tensor maps are not modelled yet";
  constexpr std::string_view kTargets = "sm_90a sm_100a sm_100f sm_101a sm_103a sm_110a sm_120a sm_120f";
  isa.form("tensormap.replace.tile.field{.ss}.b1024.type [a], v")
      .set(".field", ".global_address .rank")
      .set(".ss", ".global .shared::cta")
      .set(".type", ".b32 .b64")
      .since("8.3")
      .needs(kTargets)
      .not_modelled(kReason);
  isa.form("tensormap.replace.tile.field{.ss}.b1024.type [a], #ord:u32, v")
      .set(".field", ".box_dim .global_dim .global_stride .element_stride")
      .set(".ss", ".global .shared::cta")
      .set(".type", ".b32 .b64")
      .since("8.3")
      .needs(kTargets)
      .not_modelled(kReason);
  isa.form("tensormap.replace.tile.field{.ss}.b1024.type [a], #v:u32")
      .set(".field", ".elemtype .interleave_layout .swizzle_mode .swizzle_atomicity@8.6 .fill_mode")
      .set(".ss", ".global .shared::cta")
      .set(".type", ".b32")
      .since("8.3")
      .needs(kTargets)
      .not_modelled(kReason);
}

}  // namespace gpuloom::ptx
