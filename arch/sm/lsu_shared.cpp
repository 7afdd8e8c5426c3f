// SPDX-License-Identifier: Apache-2.0
// The load/store unit's accesses to shared memory: the block's own, and that of other SMs of its cluster.
#include <algorithm>

#include "arch/sm/lsu.h"
#include "arch/sm/lsu_latency.h"

namespace gpuloom::arch {
namespace {

bool is_atomic(const MemoryOp& op) {
  return op.access == ptx::AccessOp::kAtomic || op.access == ptx::AccessOp::kReduce;
}

bool is_shared_load(const MemoryOp& op) {
  return op.access == ptx::AccessOp::kLoad || op.access == ptx::AccessOp::kMatrixLoad;
}

}  // namespace

void Lsu::count_shared(const MemoryOp& op) {
  SmStats& s = ports_.stats;
  const unsigned passes = op.passes.passes, conflicts = op.passes.conflicts();
  s.conflicts += conflicts;
  s.wavefronts += passes;
  s.wavefronts_shared += passes;
  s.wavefronts_shared_ideal += op.passes.phases;
  if (is_atomic(op)) {
    s.conflicts_atom += conflicts;
  } else if (is_shared_load(op)) {
    s.conflicts_ld += conflicts;
    s.wavefronts_shared_ld += passes;
  } else {
    s.conflicts_st += conflicts;
    s.wavefronts_shared_st += passes;
  }
  if (InstructionCounts* c = ports_.counts.at(op.grid, op.source)) {
    ++c->requests;
    c->wavefronts += passes;
    c->ideal_wavefronts += op.passes.phases;
    c->bank_conflicts += conflicts;
  }
}

void Lsu::accept_shared(MemoryOp& op, Cycle now) {
  // A store that meets a line that takes another's place in the L1 waits for it, and that counts as a
  // conflict (H200: probes/passes, fills: 6 % of the stores of a kernel that streams through a full L1, none
  // before it is full; loads do not).
  if (op.access == ptx::AccessOp::kStore && fills_until_ > std::max(now, data_.free())) ++op.passes.passes;
  count_shared(op);
  const unsigned passes = op.passes.passes;
  // An access has a pass every second cycle, and those of other warps fill the gaps. H200: 23 cycles, and 2
  // for each further pass, by width or conflict alike (probes/sm, lat_Lds*, lat_Atom*); stores of 16 lanes a
  // bank take 31 cycles each from one warp, 16 from two, of one sub-core or not (probes/passes, degree). A
  // narrower SM has no gaps to fill (sm.shared.pass_interval).
  const unsigned each = op.compare_swap ? config_.shared.atomic_interval : 1;
  const Cycle turn = data_.take(now, passes * config_.shared.pass_interval * each);
  const Cycle start = std::max(turn, passes_end_[op.warp]), next_pass = config_.shared.next_pass() * each;
  passes_end_[op.warp] = start + passes * next_pass;
  const Cycle done = start + minus(op.latency, kFront) + minus(passes, 1) * next_pass;
  if (op.write_scoreboard < 6)
    ports_.events.push(done, {EventKind::kRelease, 0, op.warp, op.write_scoreboard});
  release_operands(op, is_shared_load(op) ? start + config_.registers.read_cycles
                                          : start + minus(op.latency, kFront) + width_extra(op));
}

// H200: a pass in turn with the others, as a load without conflicts takes (probes/passes, contend).
void Lsu::accept_pass(const MemoryOp& op, Cycle now) {
  ports_.stats.shared_pass(1);
  const Cycle start = data_.take(now, 1);
  if (op.write_scoreboard < 6)
    ports_.events.push(start + minus(op.latency, kFront),
                       {EventKind::kRelease, 0, op.warp, op.write_scoreboard});
  release_operands(op, start + config_.registers.read_cycles);
}

// Passes that an access loses to writes from other SMs of the cluster, of which an atomic's packet takes one
// and a store's one a flit. Estimated: the two take turns (H200: probes/passes, remote: of the atomics that
// go both here and there 19 to 30 % count a conflict, of the stores 17 to 36 %, no loads).
unsigned Lsu::meets(Cycle start, const BankPasses& passes) {
  unsigned lost = 0;
  for (unsigned k = 0; k < passes.passes; ++k) {
    if (!ports_.link->writes_at(start + k)) continue;
    theirs_first_ = !theirs_first_;
    lost += theirs_first_ ? 1 : 0;
  }
  return lost;
}

// To other SMs of the cluster: packets leave one after another, which holds up what comes behind, and are
// answered through the target's own port out. Stores are answered too, by what takes no room (H200:
// probes/clusters).
void Lsu::accept_remote(MemoryOp& op, Cycle now) {
  const Cycle start = std::max(now, data_.free());
  if (!is_shared_load(op) && op.passes.most != 0)
    op.passes.passes = static_cast<uint16_t>(op.passes.passes + meets(start, op.passes));
  count_shared(op);
  data_.take(start, op.passes.passes);
  const unsigned path = minus(op.latency, kFront), front = before_miss(path);
  const Cycle way = noc_.cluster_latency / 2;
  const Cycle serve = is_atomic(op) ? config_.shared.remote_atomic_latency : 0;
  Cycle left = start + front, done = start + front;
  for (unsigned i = 0; i < op.remote.count; ++i) {
    const RemotePacket& p = op.remote.packet[i];
    ClusterLink& target = ports_.clients.link_of(op.warp, p.rank);
    left = std::max(left, ports_.link->send(start + front, p.flits));
    const unsigned writes = is_atomic(op) ? 1 : is_shared_load(op) ? 0 : p.flits;
    const Cycle there = target.receive_write(left + way, p.flits, writes);
    const Cycle here =
        p.answer_flits == 0
            ? there + way
            : ports_.link->receive(target.send(there + serve, p.answer_flits) + way, p.answer_flits);
    done = std::max(done, here);
  }
  tag_free_ = std::max(tag_free_, left - front);
  if (op.write_scoreboard < 6)
    ports_.events.push(done + path - front, {EventKind::kRelease, 0, op.warp, op.write_scoreboard});
  release_operands(op, start + minus(op.latency, kFront) + width_extra(op));
  if (!is_shared_load(op)) {
    ports_.events.push(done, {EventKind::kStoreDone, op.grid, op.warp, 0});
    store_sent(op.warp, left, now);
  }
}

}  // namespace gpuloom::arch
