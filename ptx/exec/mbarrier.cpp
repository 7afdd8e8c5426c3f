// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/mbarrier.h"

#include <string>

#include "ptx/exec/check/checks.h"
#include "ptx/exec/cta.h"
#include "ptx/exec/fault.h"
#include "ptx/exec/memory_path.h"

namespace gpuloom::ptx {
namespace {

[[noreturn]] void bad(Warp& w, const Instr& in, unsigned lane, const MbarrierPlace& m,
                      const std::string& what) {
  fault(w, in, lane, FaultKind::kBarrier,
        what + " (mbarrier at shared address " + std::to_string(m.address) + ")");
}

MbarrierWord load(const MbarrierPlace& m) { return MbarrierWord(load_as<uint64_t>(m.at)); }

void finish(const MbarrierPlace& m, MbarrierWord word) {
  if (word.advance()) {
    ++m.cta->phase_changes;
    if (Checks* checks = m.cta->launch->checks) checks->mbarrier_phase(m);
  }
  store_as(m.at, word.word());
}

void add_transactions(Warp& w, const Instr& in, unsigned lane, const MbarrierPlace& m, int64_t bytes) {
  MbarrierWord word = load(m);
  const int64_t sum = word.transactions() + bytes;
  constexpr int64_t kMost = (1 << 20) - 1;  // PTX ISA 9.7.13.16.2
  if (sum > kMost || sum < -kMost)
    bad(w, in, lane, m, "takes the transaction count to " + std::to_string(sum) + ", beyond 2^20 - 1");
  word.set_transactions(static_cast<int32_t>(sum));
  finish(m, word);
}

}  // namespace

MbarrierPlace mbarrier_at(Warp& w, const Instr& in, unsigned lane, uint64_t shared_address,
                          bool initialised) {
  MbarrierPlace m;
  m.address = shared_address;
  m.at = host_of(w, in, lane, Space::kSharedCluster, shared_address, 8, AccessOp::kAtomic);
  if (shared_address % 8 != 0)
    fault_address(w, in, lane, FaultKind::kMisaligned, "uses an mbarrier of", Space::kShared, shared_address,
                  8);
  const uint64_t rank = shared_address >> kSharedRankShift;
  m.cta = rank == 0 ? w.cta : w.cta->cluster->ctas[rank - 1];
  if (initialised && !load(m).initialised())
    bad(w, in, lane, m, "uses an mbarrier that has not been initialised");
  return m;
}

void mbarrier_arrive(Warp& w, const Instr& in, unsigned lane, const MbarrierPlace& m, uint32_t count,
                     bool drop) {
  MbarrierWord word = load(m);
  if (count == 0 || count > word.pending())
    bad(w, in, lane, m,
        "arrives with a count of " + std::to_string(count) + " where the phase waits for " +
            std::to_string(word.pending()));
  word.set_pending(word.pending() - count);
  if (drop) {
    if (count > word.expected()) bad(w, in, lane, m, "drops more arrivals than later phases expect");
    word.set_expected(word.expected() - count);
  }
  if (Checks* checks = w.launch->checks) checks->mbarrier_arrived(w, lane, m);
  finish(m, word);
}

void mbarrier_expect_tx(Warp& w, const Instr& in, unsigned lane, const MbarrierPlace& m, uint32_t bytes) {
  add_transactions(w, in, lane, m, static_cast<int64_t>(bytes));
}

void mbarrier_complete_tx(Warp& w, const Instr& in, unsigned lane, const MbarrierPlace& m, uint32_t bytes) {
  add_transactions(w, in, lane, m, -static_cast<int64_t>(bytes));
}

void mbarrier_add_pending(Warp& w, const Instr& in, unsigned lane, const MbarrierPlace& m) {
  MbarrierWord word = load(m);
  if (word.pending() == MbarrierWord::kCount) bad(w, in, lane, m, "takes the pending count beyond 2^20 - 1");
  word.set_pending(word.pending() + 1);
  store_as(m.at, word.word());
}

}  // namespace gpuloom::ptx
