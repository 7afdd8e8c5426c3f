// SPDX-License-Identifier: Apache-2.0
// Which loops ptxas unrolls. For the unroller alone.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "ptx/isa/table/form.h"
#include "ptx/passes/draft.h"
#include "ptx/passes/flow.h"
#include "ptx/passes/uniformity.h"

namespace gpuloom::ptx {

constexpr unsigned kUnrollCopies = 4;

enum class Relation : uint8_t { kNe, kLt, kLe, kGt, kGe };

// A loop of one block: body; c += step; @(c relation bound) bra.
struct Loop {
  uint32_t block = 0, function = 0;
  uint32_t add = 0, compare = 0;  // instructions
  Place counter, bound;
  Type type = Type::kS32;
  Relation relation = Relation::kNe;
  int64_t step = 0;
  std::optional<int64_t> constant_bound, trips;
  bool wholly = false;        // all of its iterations become straight code
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
  std::optional<Loop> recognise(uint32_t block);

  // x = x + constant, unguarded, 32 or 64 bits.
  bool steps(uint32_t i, int64_t& by) const;

 private:
  bool is(uint32_t i, std::string_view mnemonic) const;
  // What of a body decides, beside its length.
  struct Body {
    unsigned units = 0, budget = 0;
    bool runs_alone = false;  // sleeps, waits, reads clocks, orders memory
    bool together = false;    // atomics, exchanges, products of matrices, barriers
    bool barrier = false, guarded = false;
    bool stores_loaded = false;  // what it has loaded from global memory to global memory
  };
  Body body_of(const Block& block) const;
  bool makes_address(uint32_t i, const std::set<int32_t>& addresses) const;
  bool stores_what_it_loads(const Block& block) const;
  bool fits(const Body& body, Loop& loop) const;
  bool may_overlap(const Body& body, const Loop& loop);
  bool divergent(const Loop& loop, Place place);
  bool comes_from_parameter(const Loop& loop, Place place) const;
  uint32_t only_def(const Block& block, Place row) const;
  bool find_compare(const Block& block, const Instr& latch, Loop& loop) const;
  bool find_step(const Block& block, Loop& loop) const;
  bool marked_nounroll(const Block& block) const;
  void find_trips(const Block& block, Loop& loop) const;
  void find_pointers(const Block& block, Loop& loop) const;
  bool sums_with_constant(uint32_t i, Place stepped, const Block& block, const Loop& loop) const;

  const Draft& d_;
  const Program& p_;
  const Flow& flow_;
  const Liveness& live_;
  Unrolled wanted_;
  std::optional<Uniformity> uniformity_;  // once it has been asked for
};

}  // namespace gpuloom::ptx
