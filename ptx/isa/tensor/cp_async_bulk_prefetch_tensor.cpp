// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.25.5.4 cp.async.bulk.prefetch.tensor
//
//   cp.async.bulk.prefetch.tensor.dim.L2.global{.load_mode}{.hint}
//       [tensorMap, tensorCoords]{, im2colInfo}{, cache-policy};
#include "ptx/isa/tensor/tensor_copy.h"

namespace gpuloom::ptx {
void register_tensor_cp_async_bulk_prefetch_tensor(IsaBuilder& isa) {
  isa.instruction("cp.async.bulk.prefetch.tensor", "9.7.9.25.5.4", "Prefetch a box of a tensor to L2.");
  tensor_form(isa,
              "cp.async.bulk.prefetch.tensor.dim.L2.global{.load_mode}{.L2::cache_hint} [t, {c}]{, i+:any}{, "
              "policy:b64}")
      .set(".load_mode", kTensorLoadModes);
}

}  // namespace gpuloom::ptx
