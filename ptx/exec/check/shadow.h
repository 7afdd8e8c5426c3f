// SPDX-License-Identifier: Apache-2.0
// What the checks know of a cluster, and where in it an address lies.
#pragma once
#include <memory>
#include <vector>

#include "ptx/exec/check/race_state.h"
#include "ptx/exec/cta.h"
#include "ptx/exec/warp.h"

namespace gpuloom::ptx {

struct ClusterShadow {
  struct Block {
    std::vector<uint8_t> shared;              // 1: written
    std::vector<std::vector<uint8_t>> local;  // by warp: offset * 32 + lane
  };
  std::vector<Block> blocks;  // by rank
  std::unique_ptr<RaceState> races;
};

// An address in the shared memory of a cluster: the block's rank, or 0 for its own, above the offset.
constexpr uint64_t kOffsetInShared = (uint64_t{1} << kSharedRankShift) - 1;

inline bool is_shared(Space space) { return space == Space::kShared || space == Space::kSharedCluster; }
inline uint32_t rank_of(const Warp& w, uint64_t address) {
  const uint64_t rank = address >> kSharedRankShift;
  return rank == 0 ? w.cta->cluster_rank : static_cast<uint32_t>(rank - 1);
}
inline ClusterShadow& shadow_of(const Warp& w) { return *w.cta->cluster->shadow; }
inline uint32_t index_of(const Warp& w, const Instr& in) { return static_cast<uint32_t>(&in - w.code); }

}  // namespace gpuloom::ptx
