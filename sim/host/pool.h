// SPDX-License-Identifier: Apache-2.0
// Stream-ordered memory: pools, and what was allocated from them.
//
// Work is carried out as it is submitted, so memory may be given and taken back at once; a freed block's
// addresses rest before they are used again (sim/memory). Pools keep the counts that programs can read.
#pragma once
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "sim/host/memory.h"

namespace gpuloom::host {

struct Pool {
  uint64_t most = 0;  // bytes; 0: as much as the device has
  // Attributes of cudaMemPoolAttr that programs set.
  int reuse_event = 1, reuse_opportunistic = 1, reuse_internal = 1;
  uint64_t threshold = 0;
  uint64_t used = 0, used_high = 0;
  bool standard = false;   // the device's own, which cannot be destroyed
  bool shareable = false;  // its memory may go to other processes
  bool imported = false;   // of another process: nothing is allocated from it here
};

class Pools {
 public:
  explicit Pools(Memory& memory) : memory_(memory) { standard_.standard = true; }

  Pool& standard() { return standard_; }
  Pool& current() { return *current_; }
  void set_current(Pool& pool) { current_ = &pool; }
  Pool& create(uint64_t most, bool shareable = false);
  Pool& import();
  // Whether the memory is of a pool that may share it.
  bool shareable(uint64_t address) const;
  void destroy(Pool& pool);
  // Throws Failure (kInvalidValue).
  Pool& checked(Pool* pool);

  uint64_t allocate(Pool& pool, uint64_t bytes);
  // Also takes memory of cudaMalloc, as cudaFreeAsync does; and cudaFree takes a pool's.
  void free(uint64_t address);
  // Memory of a graph's allocation node: it has its address from the node's making on and keeps it until the
  // context ends, for the graph may be launched again. A launch takes it, a free lets it go.
  uint64_t reserve_for_graph(uint64_t bytes);
  void take_for_graph(uint64_t address);
  bool holds(uint64_t address) const { return blocks_.contains(address); }  // taken and not let go
  const Pool& graphs() const { return graphs_; }
  uint64_t reserved_for_graphs() const { return reserved_for_graphs_; }
  void forget_high_mark() { graphs_.used_high = graphs_.used; }

  uint64_t attribute(const Pool& pool, int attribute) const;
  void set_attribute(Pool& pool, int attribute, uint64_t value);

 private:
  struct Block {
    Pool* pool;
    uint64_t bytes;
  };
  void forget(uint64_t address);

  Memory& memory_;
  Pool standard_;
  Pool graphs_;  // counts only
  uint64_t reserved_for_graphs_ = 0;
  std::unordered_map<uint64_t, uint64_t> graph_blocks_;  // bytes
  Pool* current_ = &standard_;
  std::unordered_map<const Pool*, std::unique_ptr<Pool>> pools_;
  std::unordered_map<uint64_t, Block> blocks_;
};

}  // namespace gpuloom::host
