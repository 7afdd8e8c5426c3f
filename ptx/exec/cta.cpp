// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/cta.h"

#include <bit>
#include <memory>
#include <utility>

#include "ptx/exec/check/checks.h"
#include "ptx/exec/fault.h"
#include "ptx/exec/matrix/warpgroup_meeting.h"
#include "ptx/exec/restart_cta.h"

namespace gpuloom::ptx {
namespace {

uint32_t block_threads(const Launch& launch) { return static_cast<uint32_t>(launch.block.count()); }

// What a warp that has ended leaves for the next one: memory of the sizes that it needs.
struct WarpMemory {
  LineBytes registers, local;
  SimtState simt;
};

// The warp as it is made, but for what only the last memory instruction says.
void make_anew(Warp& w) {
  WarpMemory kept{std::move(w.register_memory), std::move(w.local_memory), std::move(w.simt)};
  std::destroy_at(&w);
  ::new (&w) Warp;
  w.register_memory = std::move(kept.registers);
  w.local_memory = std::move(kept.local);
  w.simt = std::move(kept.simt);
}

void start_warp(Warp& w, Launch& launch, Cta& cta, uint32_t index) {
  const Program& program = *launch.program;
  const FunctionCode& entry = program.functions[0];
  w.cta = &cta;
  w.launch = &launch;
  w.program = &program;
  w.index_in_cta = index;
  w.code = launch.checks != nullptr ? launch.checks->code() : program.code.data();
  w.consts = program.constants.data();
  w.shared = cta.shared.data();
  w.shared_bytes = cta.shared.size();
  if (launch.memory)
    w.global_base = reinterpret_cast<uintptr_t>(launch.memory->host(kGlobalBase)) - kGlobalBase;
  w.register_memory.assign(entry.frame_bytes + 64, 0);
  w.local_bytes = entry.local_bytes;
  w.local_memory.assign(size_t(entry.local_bytes) * 32, 0);
  w.local = w.local_memory.data();
  const uint32_t left = block_threads(launch) - index * 32;
  simt_start(w, left >= 32 ? ~0u : (1u << left) - 1);
  fill_specials(w, entry);
}

// Releases the warps that wait at `b` and readies it for the next phase.
void release(Cta& cta, NamedBarrier& b) {
  std::vector<BarrierWaiter> waiters;
  waiters.swap(b.waiters);
  const bool all = b.reduction_and, any = b.reduction_or;
  const uint32_t count = b.reduction_popc;
  const auto id = static_cast<unsigned>(&b - cta.barriers);
  b = NamedBarrier{};
  ++cta.phase_changes;
  if (Checks* checks = cta.launch->checks) checks->barrier_released(cta, id, waiters);
  for (const BarrierWaiter& waiter : waiters) {
    Warp& w = *waiter.warp;
    if (waiter.result.present()) {
      uint8_t* at = w.register_memory.data() + waiter.frame_regs + waiter.result.at;
      if (waiter.op == BarrierOp::kRedPopc) {
        for (unsigned l = 0; l < 32; ++l)
          if (waiter.lanes >> l & 1) reinterpret_cast<uint32_t*>(at)[l] = count;
      } else {
        uint32_t& mask = *reinterpret_cast<uint32_t*>(at);
        const bool value = waiter.op == BarrierOp::kRedAnd ? all : any;
        mask = (mask & ~waiter.lanes) | (value ? waiter.lanes : 0);
      }
    }
    wake(w, Wait::kBarrier, waiter.lanes);
  }
  waiters.clear();
  b.waiters.swap(waiters);  // keeps the memory
}

bool complete(const Cta& cta, const NamedBarrier& b) {
  return b.in_use && b.arrived_warps != 0 &&
         b.arrived_warps >= (b.counts_all ? cta.live_warps : b.expected_warps);
}

// The whole warp has come.
void warp_arrived(Cta& cta, Warp& w, const Instr* in, NamedBarrier& b, uint32_t id) {
  w.barrier_lanes[id] = 0;
  const uint64_t bit = 1ull << w.index_in_cta;
  if (in && (b.arrived_mask & bit))
    fault(w, *in, static_cast<unsigned>(std::countr_zero(~w.exited)), FaultKind::kBarrier,
          "arrives at barrier " + std::to_string(id) + " again before the other threads have come");
  b.arrived_mask |= bit;
  ++b.arrived_warps;
  if (complete(cta, b)) release(cta, b);
}

void check_participation(Warp& w, const Instr& in, unsigned lane, NamedBarrier& b, uint32_t id,
                         uint32_t threads) {
  const bool all = threads == 0;
  if (threads % 32 != 0)
    fault(w, in, lane, FaultKind::kBarrier,
          "gives barrier " + std::to_string(id) + " a thread count of " + std::to_string(threads) +
              ", which is not a multiple of 32");
  if (threads / 32 > w.cta->warps.size())
    fault(w, in, lane, FaultKind::kBarrier,
          "gives barrier " + std::to_string(id) + " a thread count of " + std::to_string(threads) +
              ", more than the block has");
  if (!b.in_use) {
    b.in_use = true;
    b.counts_all = all;
    b.expected_warps = all ? static_cast<uint32_t>(w.cta->warps.size()) : threads / 32;
    return;
  }
  if (b.expected_warps != (all ? w.cta->warps.size() : threads / 32))
    fault(w, in, lane, FaultKind::kBarrier,
          "arrives at barrier " + std::to_string(id) + " for " +
              (all ? std::string("all threads") : std::to_string(threads) + " threads") +
              " while others wait there for " + std::to_string(b.expected_warps * 32) + " threads");
}

void finish_cluster_phase(Cluster& cluster) {
  cluster.arrived_threads = 0;
  ++cluster.phase;
  if (Checks* checks = cluster.ctas[0]->launch->checks) checks->cluster_released(cluster);
  for (Cta* cta : cluster.ctas) {
    ++cta->phase_changes;
    for (auto& warp : cta->warps) {
      warp->cluster_arrived = 0;
      wake(*warp, Wait::kClusterBarrier);
    }
  }
}

}  // namespace

void LaunchRemarks::reached_ended_block(const std::string& first) {
  const std::lock_guard lock(mutex_);
  if (ended_count_++ == 0 || first < ended_) ended_ = first;  // whoever comes first on the host
}

std::vector<std::string> LaunchRemarks::text() const {
  const std::lock_guard lock(mutex_);
  if (ended_count_ == 0) return {};
  return {ended_ + (ended_count_ == 1 ? "" : " (and " + std::to_string(ended_count_ - 1) + " times more)") +
          "; hardware stops a kernel that does so (error 719): a cluster barrier at the end of the kernel "
          "keeps the block alive"};
}

std::unique_ptr<Cta> create_cta(Launch& launch, uint64_t linear_id, Cluster* cluster, uint32_t sm) {
  return restart_cta(std::make_unique<Cta>(), launch, linear_id, cluster, sm);
}

std::unique_ptr<Cta> restart_cta(std::unique_ptr<Cta> cta, Launch& launch, uint64_t linear_id,
                                 Cluster* cluster, uint32_t sm) {
  auto shared = std::move(cta->shared);
  auto warps_before = std::move(cta->warps);
  *cta = Cta{};
  cta->shared = std::move(shared);
  cta->warps = std::move(warps_before);
  cta->launch = &launch;
  cta->linear_id = linear_id;
  cta->id[0] = static_cast<uint32_t>(linear_id % launch.grid.x);
  cta->id[1] = static_cast<uint32_t>(linear_id / launch.grid.x % launch.grid.y);
  cta->id[2] = static_cast<uint32_t>(linear_id / launch.grid.x / launch.grid.y);
  cta->sm = sm;
  cta->shared.assign(launch.shared_bytes, 0);
  cta->cluster = cluster ? cluster : &cta->alone;
  cta->cluster_rank = static_cast<uint32_t>(cta->cluster->ctas.size());
  cta->cluster->ctas.push_back(cta.get());
  cta->cluster->live_threads += block_threads(launch);
  const uint32_t warps = (block_threads(launch) + 31) / 32;
  for (auto& warp : cta->warps) make_anew(*warp);
  while (cta->warps.size() < warps) cta->warps.push_back(std::make_unique<Warp>());
  for (uint32_t k = 0; k < warps; ++k) start_warp(*cta->warps[k], launch, *cta, k);
  cta->live_warps = warps;
  if (launch.checks != nullptr) launch.checks->block_started(*cta);
  return cta;
}

void barrier_arrive(Warp& w, const Instr& in, uint32_t lanes, BarrierOp op, uint32_t id, uint32_t threads,
                    uint32_t values, Place result) {
  Cta& cta = *w.cta;
  const unsigned lane = static_cast<unsigned>(std::countr_zero(lanes));
  if (id >= kNamedBarriers)
    fault(w, in, lane, FaultKind::kBarrier,
          "uses barrier " + std::to_string(id) + ", but a block has barriers 0 to 15");
  NamedBarrier& b = cta.barriers[id];
  check_participation(w, in, lane, b, id, threads);
  if (w.barrier_lanes[id] & lanes)
    fault(w, in, static_cast<unsigned>(std::countr_zero(w.barrier_lanes[id] & lanes)), FaultKind::kBarrier,
          "arrives at barrier " + std::to_string(id) + " again before the other lanes of its warp have come");
  b.reduction_popc += static_cast<uint32_t>(std::popcount(values & lanes));
  b.reduction_and = b.reduction_and && (values & lanes) == lanes;
  b.reduction_or = b.reduction_or || (values & lanes) != 0;
  w.barrier_lanes[id] |= lanes;
  if (Checks* checks = w.launch->checks) checks->barrier_arrived(w, lanes, id);
  const bool whole = (~w.exited & ~w.barrier_lanes[id]) == 0;
  if (op != BarrierOp::kArrive) {
    const uint32_t frame_regs = w.simt.frames[w.simt.frame].regs;
    b.waiters.push_back({&w, lanes, op, result, frame_regs});
    narrow_set(w, lanes);
    block_set(w, Wait::kBarrier);
  }
  if (whole) warp_arrived(cta, w, &in, b, id);
}

void cluster_arrive(Warp& w, const Instr& in, uint32_t lanes) {
  if (const uint32_t again = w.cluster_pending & lanes)
    fault(w, in, static_cast<unsigned>(std::countr_zero(again)), FaultKind::kBarrier,
          "arrives at the cluster barrier twice without waiting in between");
  Cluster& cluster = *w.cta->cluster;
  w.cluster_pending |= lanes;
  w.cluster_arrived |= lanes;
  if (Checks* checks = w.launch->checks) checks->cluster_arrived(w, lanes);
  cluster.arrived_threads += static_cast<uint32_t>(std::popcount(lanes));
  if (cluster.arrived_threads == cluster.live_threads) finish_cluster_phase(cluster);
}

void cluster_wait(Warp& w, const Instr& in, uint32_t lanes) {
  if (const uint32_t without = lanes & ~w.cluster_pending)
    fault(w, in, static_cast<unsigned>(std::countr_zero(without)), FaultKind::kBarrier,
          "waits at the cluster barrier without having arrived there");
  w.cluster_pending &= ~lanes;
  if (Checks* checks = w.launch->checks) checks->cluster_waits(w, lanes, (w.cluster_arrived & lanes) == 0);
  if ((w.cluster_arrived & lanes) == 0) return;
  narrow_set(w, lanes);
  block_set(w, Wait::kClusterBarrier);
}

void after_exit(Warp& w, uint32_t lanes) {
  Cta& cta = *w.cta;
  Cluster& cluster = *cta.cluster;
  cluster.live_threads -= static_cast<uint32_t>(std::popcount(lanes));
  cluster.arrived_threads -= static_cast<uint32_t>(std::popcount(lanes & w.cluster_arrived));
  w.cluster_arrived &= ~lanes;
  if (cluster.arrived_threads != 0 && cluster.arrived_threads == cluster.live_threads)
    finish_cluster_phase(cluster);
  const bool done = live_lanes(w) == 0;
  if (done) {
    --cta.live_warps;
    leave_warpgroup(w);
  }
  for (unsigned id = 0; id < kNamedBarriers; ++id) {
    NamedBarrier& b = cta.barriers[id];
    if (!b.in_use) continue;
    if (!done && w.barrier_lanes[id] && (~w.exited & ~w.barrier_lanes[id]) == 0)
      warp_arrived(cta, w, nullptr, b, id);
    else if (done && complete(cta, b))
      release(cta, b);
  }
}

}  // namespace gpuloom::ptx
