// SPDX-License-Identifier: Apache-2.0
// mbarrier.init with a number writes a barrier's 64 bits, which UIADD3 and two USHF make of it, once for all
// barriers of a block that have the number and the guard: UMOV; UIADD3 UR4, -UR4, 0x100000; USHF.L; USHF.L;
// SYNCS.EXCH.64. VOTEU stands in front of both where a predicate guards it. What a block other than the
// first initializes comes behind FENCE.VIEW.ASYNC (ptxas 13.0, sm_90a: SASS of bench/silicon/ml's products
// with tensor descriptors and of kernels with one barrier, two, and one behind a branch).
#include "ptx/machine/rules/tensor_operands.h"
#include "ptx/passes/instr_questions.h"

namespace gpuloom::ptx {

namespace {

bool match_barrier_init(const Selection& s, uint32_t i) {
  if (!is_mbarrier(s.op_class(i)) || !s.use(i).form().syntax.starts_with("mbarrier.init")) return false;
  return s.instr(i).ops[1].present() && s.instr(i).ops[1].constant();
}

struct Earlier {
  bool barrier = false, number = false, same = false;  // any; of that number; and of that guard
};

Earlier earlier_in_block(const Selection& s, uint32_t i) {
  const auto number = [&](uint32_t k) { return s.constant_bits(s.instr(k).ops[1], 4); };
  Earlier earlier;
  for (uint32_t k = s.flow().blocks[s.block_of(i)].first; k < i; ++k) {
    if (!match_barrier_init(s, k)) continue;
    earlier.barrier = true;
    if (number(k) != number(i)) continue;
    earlier.number = true;
    earlier.same = earlier.same || s.instr(k).guard.at == s.instr(i).guard.at;
  }
  return earlier;
}

void apply_barrier_init(const Selection& s, Emitter& out, uint32_t i) {
  const Earlier earlier = earlier_in_block(s, i);
  std::vector<uint32_t> bits;
  if (!earlier.same) {
    bits = vote_on_guard(s, out, i);
    if (!earlier.number) bits.push_back(out.make(OpClass::mov, {}, 1, true));
    for (const OpClass op : {OpClass::iadd, OpClass::shift, OpClass::shift})
      bits = {out.make(op, bits, 1, true)};
  }
  const std::vector<uint32_t> guard = vote_on_guard(s, out, i);
  bits.insert(bits.end(), guard.begin(), guard.end());
  const bool first_block = s.block_of(i) == s.flow().first_block[s.function()];
  if (!first_block && !earlier.barrier)
    out.around({OpClass::fence_async}, OpClass::syncs, {});
  else
    out.sequence({OpClass::syncs});
  out.last().uses.insert(out.last().uses.end(), bits.begin(), bits.end());
}

}  // namespace

extern const Rule kBarrierInit{"barrier_init", match_barrier_init, apply_barrier_init};

}  // namespace gpuloom::ptx
