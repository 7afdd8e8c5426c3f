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

class LoopFinder {
 public:
  LoopFinder(const Draft& d, const Flow& flow, const Liveness& live)
      : d_(d), p_(d.program), flow_(flow), live_(live) {}
  std::optional<Loop> recognise(uint32_t block) const;

  // x = x + constant, unguarded, 32 or 64 bits.
  bool steps(uint32_t i, int64_t& by) const;

 private:
  bool is(uint32_t i, std::string_view mnemonic) const;
  bool small(const Block& block) const;
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
};

}  // namespace gpuloom::ptx
