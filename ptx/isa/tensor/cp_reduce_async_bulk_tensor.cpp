// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.25.5.3 cp.reduce.async.bulk.tensor
//
//   cp.reduce.async.bulk.tensor.dim.global.shared::cta.redOp{.load_mode}.bulk_group{.hint}
//       [tensorMap, tensorCoords], [srcMem]{, cache-policy};
#include "ptx/isa/tensor/tensor_copy.h"

namespace gpuloom::ptx {
void register_tensor_cp_reduce_async_bulk_tensor(IsaBuilder& isa) {
  isa.instruction("cp.reduce.async.bulk.tensor", "9.7.9.25.5.3",
                  "Reduce on a box of a tensor, asynchronously.");
  tensor_form(isa,
              "cp.reduce.async.bulk.tensor.dim.global.shared::cta.op{.load_mode}.bulk_group{.L2::cache_hint} "
              "[t, {c}], [s]{, policy:b64}")
      .set(".op", ".add .min .max .inc .dec .and .or .xor")
      .set(".load_mode", ".tile .im2col_no_offs");
}

}  // namespace gpuloom::ptx
