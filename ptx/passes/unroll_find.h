// SPDX-License-Identifier: Apache-2.0
// Which loops ptxas unrolls. For the unroller alone.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ptx/isa/table/form.h"
#include "ptx/passes/draft.h"
#include "ptx/passes/flow.h"
#include "ptx/passes/loop_body.h"
#include "ptx/passes/loop_region.h"
#include "ptx/passes/uniformity.h"

namespace gpuloom::ptx {

constexpr unsigned kUnrollCopies = 4;

enum class Relation : uint8_t { kNe, kLt, kLe, kGt, kGe };

// A counted loop: body; c += step; @(c relation bound) bra.
struct Loop {
  LoopRegion region;
  uint32_t function = 0;
  uint32_t add = 0, compare = 0;  // instructions
  Place counter, bound;
  Type type = Type::kS32;
  Relation relation = Relation::kNe;
  int64_t step = 0;
  std::optional<int64_t> constant_bound, trips;
  bool wholly = false;  // all of its iterations become straight code
  // Of one with a constant number of turns: so many first ones apart, then so many at once; or 0.
  unsigned turns_apart = 0, turns_at_once = 0;
  bool counter_used = false;  // by more than its step and the comparison
  // Rows that only a constant step changes and only addresses read: one step at the end does.
  std::map<int32_t, uint32_t> pointers;  // by place: the instruction that steps it
  // Sums of such a row and one that the loop leaves alone, which only addresses read: all copies use the
  // first one's, with offsets (SASS of matmul_naive: LDG [R12.64+0x3c] sixteen elements on).
  struct Sum {
    uint32_t add = 0;   // the instruction that makes it
    uint32_t step = 0;  // the one that steps the row in it
  };
  std::map<int32_t, Sum> sums;  // by place
};

// Which loops are asked for: those that become straight code, or those that stay loops.
enum class Unrolled : uint8_t { kWholly, kInPart };

class LoopFinder {
 public:
  LoopFinder(const Draft& d, const Flow& flow, const Liveness& live, Unrolled wanted)
      : d_(d), p_(d.program), flow_(flow), live_(live), wanted_(wanted) {}
  std::optional<Loop> recognise(uint32_t latch);  // a block

 private:
  bool fits(const LoopBody& body, Loop& loop) const;
  bool may_overlap(const LoopBody& body, const Loop& loop);
  bool divergent(const Loop& loop, Place place);
  bool comes_from_parameter(const Loop& loop, Place place) const;
  uint32_t only_def(const LoopRegion& region, Place row) const;
  bool lives_behind(const Loop& loop, Place row) const;
  bool find_compare(const Instr& latch, Loop& loop) const;
  bool find_step(Loop& loop) const;
  bool room_for_bound(const Loop& loop) const;
  bool marked_nounroll(const LoopRegion& region) const;
  std::optional<int64_t> start_of(const Loop& loop) const;
  void find_trips(Loop& loop) const;
  void find_pointers(Loop& loop) const;
  bool sums_with_constant(uint32_t i, Place stepped, const Loop& loop) const;

  const Draft& d_;
  const Program& p_;
  const Flow& flow_;
  const Liveness& live_;
  Unrolled wanted_;
  std::optional<Uniformity> uniformity_;  // once it has been asked for
};

}  // namespace gpuloom::ptx
