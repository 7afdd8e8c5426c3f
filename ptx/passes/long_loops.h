// SPDX-License-Identifier: Apache-2.0
// Loops with branches of their own. ptxas does not keep what special registers held in front of one, nor
// addresses of shared memory that come from one: it reads them again in such a loop and behind it
// (bench/silicon/lowering/special_reads.py, shared_bases.py).
#pragma once
#include <cstdint>
#include <vector>

#include "ptx/passes/flow.h"

namespace gpuloom::ptx {

class LongLoops {
 public:
  LongLoops(const Program& program, const Flow& flow, uint32_t function);
  // Whether what `from` reads is kept up to `to`: no long loop holds or leads to `to` alone.
  bool keeps(uint32_t from, uint32_t to) const;

 private:
  void pass(const Flow& flow, uint32_t header);

  uint32_t first_;
  std::vector<RowSet> passed_;  // by block: the headers of long loops that hold it or lead to it
};

}  // namespace gpuloom::ptx
