// SPDX-License-Identifier: Apache-2.0
// A warp's products of matrices (wgmma) and the groups that it has committed.
#pragma once
#include <algorithm>
#include <array>

#include "arch/types.h"

namespace gpuloom::arch {

class MatrixGroups {
 public:
  // A product has issued: when its result is there, and when the next may issue.
  void issued(Cycle done, Cycle next) {
    done_ = std::max(done_, done);
    next_ = next;
  }
  Cycle next() const { return next_; }
  void commit() { groups_[commits_++ % groups_.size()] = done_; }
  // When no more than the newest `left` groups are on their way. Groups end in order: the newest that must be
  // done says when.
  Cycle done(unsigned left) const {
    if (left >= groups_.size() || left >= commits_) return 0;
    return groups_[(commits_ - 1 - left) % groups_.size()];
  }

 private:
  Cycle done_ = 0, next_ = 0;
  std::array<Cycle, 8> groups_ = {};  // committed ones, a ring: when each is done
  uint32_t commits_ = 0;
};

}  // namespace gpuloom::arch
