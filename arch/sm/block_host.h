// SPDX-License-Identifier: Apache-2.0
// An SM as the work distributor sees it.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "arch/sm/grid_context.h"
#include "arch/types.h"
#include "ptx/exec/cta.h"

namespace gpuloom::arch {

class Sm;

// The blocks of a cluster, which live until the last of them has ended: they reach into each other's shared
// memory.
struct ClusterHold {
  ptx::Cluster cluster;
  std::vector<std::unique_ptr<ptx::Cta>> blocks;
  struct Place {
    Sm* sm;
    unsigned slot;
  };
  std::vector<Place> places;  // by rank; SMs fill them in
};

class BlockHost {
 public:
  BlockHost(unsigned id, unsigned gpc) : id_(id), gpc_(gpc) {}
  virtual ~BlockHost() = default;
  unsigned id() const { return id_; }
  unsigned gpc() const { return gpc_; }

  // Between windows: a block of a grid takes a free slot and starts at `at`. Those of a cluster come in order
  // of rank.
  virtual void assign(GridContext& grid, uint64_t block, const std::shared_ptr<ClusterHold>& cluster,
                      unsigned rank, Cycle at) = 0;
  virtual bool has_place_for(const GridContext& grid) const = 0;
  // Bytes of shared memory that its blocks share out: those of the grid that came to it when it was empty.
  virtual uint32_t carveout() const = 0;
  // No blocks, and nothing of earlier ones on its way: its carve-out can change.
  virtual bool quiet() const = 0;

  // What the distributor has not heard of: blocks that have ended, and those that let dependent grids begin.
  struct BlockNews {
    Cycle at;
    GridContext* grid;
    bool ends;
    bool lets_dependents;  // now, or at its end for the first time
  };
  std::vector<BlockNews> news;

 private:
  unsigned id_, gpc_;
};

}  // namespace gpuloom::arch
