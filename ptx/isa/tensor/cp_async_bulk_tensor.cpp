// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.25.5.2 cp.async.bulk.tensor
//
//   cp.async.bulk.tensor.dim.dst.src{.load_mode}.mbarrier::complete_tx::bytes{.multicast}{.cta_group}{.hint}
//       [dstMem], [tensorMap, tensorCoords], [mbar]{, im2colInfo}{, ctaMask}{, cache-policy};
//   cp.async.bulk.tensor.dim.global.shared::cta{.load_mode}.bulk_group{.hint}
//       [tensorMap, tensorCoords], [srcMem]{, cache-policy};
#include "ptx/isa/tensor/tensor_copy.h"

namespace gpuloom::ptx {
void register_tensor_cp_async_bulk_tensor(IsaBuilder& isa) {
  isa.instruction("cp.async.bulk.tensor", "9.7.9.25.5.2", "Copy a box of a tensor, asynchronously.");
  // Only im2col modes have offsets, only .multicast a mask, only .L2::cache_hint a policy: without a meaning,
  // what is present is not checked against the modifiers.
  tensor_form(
      isa,
      "cp.async.bulk.tensor.dim.dst.global{.load_mode}.mbarrier::complete_tx::bytes{.multicast::cluster}"
      "{.cta_group}{.L2::cache_hint} [d], [t, {c}], [mbar]{, i+:any}{, m:b16}{, policy:b64}")
      .set(".dst", ".shared::cluster .shared::cta@8.6")
      .set(".load_mode", kTensorLoadModes)
      .set(".cta_group", kTensorCtaGroups);
  tensor_form(isa,
              "cp.async.bulk.tensor.dim.global.shared::cta{.load_mode}.bulk_group{.L2::cache_hint} [t, {c}], "
              "[s]{, policy:b64}")
      .set(".load_mode", ".tile .im2col_no_offs .tile::scatter4@8.6,sm_100");
}

}  // namespace gpuloom::ptx
