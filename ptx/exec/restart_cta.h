// SPDX-License-Identifier: Apache-2.0
// A block in the memory of one that has ended: making warps takes longer than many short blocks run.
#pragma once
#include <memory>

#include "ptx/exec/cta.h"

namespace gpuloom::ptx {

// What create_cta makes, out of `used`: a block of this launch that has ended, as has its cluster.
std::unique_ptr<Cta> restart_cta(std::unique_ptr<Cta> used, Launch& launch, uint64_t linear_id,
                                 Cluster* cluster, uint32_t sm);

}  // namespace gpuloom::ptx
