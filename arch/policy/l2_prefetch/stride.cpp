// SPDX-License-Identifier: Apache-2.0
// Strides by instruction (Chen and Baer, ASPLOS 1992: reference prediction): a table of `entries`, found by
// the instruction's PC, holds its last line here and the distance to the one before. A distance that comes a
// second time is taken for a stride, and the line `distance` of them ahead is fetched. A slice sees only its
// share of an instruction's lines, so strides are those between lines of one slice.
#include <vector>

#include "arch/policy/interface.h"

namespace {

using namespace gpuloom::policy;

class Stride final : public Prefetcher {
 public:
  Stride(Parameters& parameters, const SliceHost&)
      : table_(parameters.count("entries", 1, 65536)),
        ahead_(static_cast<int64_t>(parameters.count("distance", 1, 64))) {}
  uint32_t fetch(const CacheAccess& access, bool, uint64_t* lines) override {
    if (access.kind != AccessKind::kRead || access.pc == kNone) return 0;
    Row& row = table_[access.pc % table_.size()];
    if (row.pc != access.pc) {
      row = {access.pc, access.line, 0, false};
      return 0;
    }
    const int64_t distance = static_cast<int64_t>(access.line - row.line);
    if (distance == 0) return 0;
    row.sure = distance == row.distance;
    row.distance = distance;
    row.line = access.line;
    if (!row.sure) return 0;
    lines[0] = access.line + static_cast<uint64_t>(ahead_ * distance);
    return 1;
  }

 private:
  struct Row {
    uint32_t pc = kNone;
    uint64_t line = 0;
    int64_t distance = 0;
    bool sure = false;
  };
  std::vector<Row> table_;
  const int64_t ahead_;
};

}  // namespace

GPULOOM_POLICY(l2_prefetch, stride, Stride)
