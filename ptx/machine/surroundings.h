// SPDX-License-Identifier: Apache-2.0
// What a function has around the operations of its instructions. Every kernel loads the stack pointer; those
// that touch global memory its descriptor. Convergence barriers open where lanes part.
#pragma once
#include <utility>
#include <vector>

#include "ptx/machine/calls.h"
#include "ptx/machine/graph.h"

namespace gpuloom::ptx {

class Surroundings {
 public:
  Surroundings(Graph& g, const Calls& calls, uint32_t f) : g_(g), calls_(calls), f_(f) {}
  void add();

 private:
  const Program& program() const { return *g_.program; }
  uint32_t entry() const { return program().functions[f_].entry; }
  uint32_t make_register(uint8_t words, bool uniform);
  void add_prologue();
  // BSSY where a region opens: before the branch, or before the loop that a branch leaves.
  void add_convergence();
  // The block itself, or the one before the outermost loop around it that does not hold the meeting point.
  uint32_t region_start(uint32_t b, uint32_t meet) const;
  // Convergence barriers that regions around calls take are the caller's too.
  unsigned barriers_across_calls() const;
  void keep_barriers();

  Graph& g_;
  const Calls& calls_;
  uint32_t f_;
  std::vector<std::pair<uint32_t, uint32_t>> regions_;  // block with the BSSY, meeting block
};

}  // namespace gpuloom::ptx
