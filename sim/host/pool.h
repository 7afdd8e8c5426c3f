// SPDX-License-Identifier: Apache-2.0
// Stream-ordered memory: pools, and what was allocated from them.
//
// A block that a stream has let go may come again at the same address, as CUDA's pools do it: in the same
// stream, or in another as the pool's attributes say. Else its addresses rest (sim/memory). Pools keep the
// counts that programs can read.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <unordered_map>

#include "base/owned_set.h"
#include "sim/host/memory.h"
#include "sim/streams/costs.h"

namespace gpuloom::host {

struct Pool {
  uint64_t most = 0;  // bytes; 0: as much as the device has
  // Attributes of cudaMemPoolAttr that programs set.
  int reuse_event = 1, reuse_opportunistic = 1, reuse_internal = 1;
  uint64_t threshold = 0;
  uint64_t used = 0, used_high = 0;
  uint64_t kept = 0;  // bytes that were let go and have not been given back to the device
  uint64_t reserved_high = 0;
  bool standard = false;   // the device's own, which cannot be destroyed
  bool shareable = false;  // its memory may go to other processes
  bool imported = false;   // of another process: nothing is allocated from it here
};

// A block that was let go: when, and in which stream. Another may have it where the pool's attributes allow
// that.
struct LetGo {
  Pool* pool = nullptr;
  uint64_t number = 0;
  uint64_t address = 0, bytes = 0;
  uint64_t stream = 0;   // its id
  Time at = 0;           // without time on the machine
  uint64_t ticket = 0;   // with it
  bool pending = false;  // its memory is not free yet: work under way may use it
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
  bool knows(const Pool* pool) const { return pool == &standard_ || pools_.holds(pool); }

  // The newest block of that size that was let go and that `may` have, or another.
  using MayFn = std::function<bool(const LetGo&)>;
  uint64_t allocate(Pool& pool, uint64_t bytes, const MayFn& may = {});
  // A stream lets a pool's block go. 0: the address is of none. Where work on the machine may use it,
  // free_let_go() follows with the number that this gives.
  uint64_t let_go(LetGo block);
  void free_let_go(uint64_t number);
  LetGo& newest_let_go() { return let_go_.back(); }
  const std::deque<LetGo>& blocks_let_go() const { return let_go_; }
  // The host has waited: what is kept beyond the thresholds goes back to the device.
  void give_back();
  void trim(Pool& pool, uint64_t keep);
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
  bool take_again(const LetGo& block);
  static uint64_t reserved(const Pool& pool);

  Memory& memory_;
  Pool standard_;
  Pool graphs_;  // counts only
  uint64_t reserved_for_graphs_ = 0;
  std::unordered_map<uint64_t, uint64_t> graph_blocks_;  // bytes
  Pool* current_ = &standard_;
  OwnedSet<Pool> pools_;
  uint64_t numbers_ = 0;
  std::deque<LetGo> let_go_;  // the newest last
  std::unordered_map<uint64_t, Block> blocks_;
};

}  // namespace gpuloom::host
