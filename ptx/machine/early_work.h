// SPDX-License-Identifier: Apache-2.0
// A line of operations that keeps few registers, with what may come earlier put there.
#pragma once
#include <cstdint>
#include <vector>

#include "ptx/machine/block_edges.h"
#include "ptx/machine/pressure.h"
#include "ptx/machine/unit_intervals.h"

namespace gpuloom::ptx {

class EarlyWork {
 public:
  // `line` keeps to all edges. `rank`: by operation, 0 for the most urgent. `pressure` is left anywhere.
  EarlyWork(const std::vector<uint32_t>& line, const BlockEdges& edges, const std::vector<uint32_t>& rank,
            const UnitIntervals& units, Pressure& pressure);

  // The operations in an order that has no more than `limit` registers anywhere, or than the line has where
  // those are more. Of what is ready first, the most urgent comes, however far behind in the line it stands.
  std::vector<uint32_t> run(uint32_t limit);

 private:
  uint32_t when(uint32_t node) const;
  uint32_t choose(uint32_t limit);
  bool brings_forward(uint32_t node, uint32_t limit);
  void find_changes(uint32_t node);
  uint32_t last_use_before(const std::vector<uint32_t>& users, uint32_t place) const;
  void place(uint32_t node);

  const std::vector<uint32_t>& line_;
  const BlockEdges& edges_;
  const std::vector<uint32_t>& rank_;
  const UnitIntervals& units_;
  Pressure& pressure_;
  std::vector<uint32_t> place_;               // by operation: in the line
  std::vector<std::vector<uint32_t>> users_;  // by value: places in the line
  std::vector<int> behind_;                   // by place: registers behind it, as things stand
  std::vector<int> change_;                   // by place, of the operation that is looked at
  std::vector<uint8_t> placed_;               // by place
  std::vector<uint32_t> waiting_, ready_at_, ready_, order_;
  uint32_t next_ = 0, now_ = 0;  // the first place that has not been placed; the cycle
  Busy busy_;
};

}  // namespace gpuloom::ptx
