// SPDX-License-Identifier: Apache-2.0
// Which branches all lanes of a warp take together.
#pragma once
#include <cstdint>
#include <vector>

#include "ptx/passes/flow.h"

namespace gpuloom::ptx {

struct Uniformity {
  std::vector<std::vector<uint8_t>> divergent_row;  // by function and row number of Liveness
  std::vector<uint8_t> divergent_branch;  // by block: its last instruction may send lanes to different places
};
// Whether what lanes exchange may count as uniform. Lanes of which some are elsewhere get other votes than
// those, so code that decides where lanes go must not believe it; ptxas, which speaks of lanes that run
// together, does.
enum class Exchanges : uint8_t { kDivergent, kUniform };

// `post_dominator` is by block, of the whole program.
Uniformity find_uniformity(const Program& program, const Flow& flow, const Liveness& liveness,
                           const std::vector<uint32_t>& post_dominator,
                           Exchanges exchanges = Exchanges::kDivergent);

}  // namespace gpuloom::ptx
