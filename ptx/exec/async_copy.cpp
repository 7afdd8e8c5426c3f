// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/async_copy.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "ptx/exec/check/checks.h"
#include "ptx/exec/cta.h"
#include "ptx/exec/fault.h"
#include "ptx/exec/mbarrier.h"
#include "ptx/exec/memory_path.h"
#include "ptx/exec/tensor_copy.h"

namespace gpuloom::ptx {
namespace {

// The instruction that faults are reported at; a captured operation is completed long after its issue.
const Instr& instr_of(const Warp& w, const AsyncOperation& op) { return w.code[op.instruction]; }

uint64_t with_rank(uint64_t address, unsigned rank) {
  return (address & ((1u << kSharedRankShift) - 1)) | uint64_t(rank + 1) << kSharedRankShift;
}

void copy_once(Warp& w, const AsyncOperation& op, uint64_t target, uint64_t mbarrier) {
  const Instr& in = instr_of(w, op);
  uint8_t* to = host_of(w, in, op.lane, op.target_space, target, op.bytes, AccessOp::kStore);
  if (op.source_bytes != 0) {
    const uint8_t* from =
        host_of(w, in, op.lane, op.source_space, op.source, op.source_bytes, AccessOp::kLoad);
    if (op.byte_mask == 0xffff) {
      std::memmove(to, from, op.source_bytes);
    } else {  // byte i of every 16 where bit i is set
      for (uint32_t b = 0; b < op.source_bytes; ++b)
        if (op.byte_mask >> (b % 16) & 1) to[b] = from[b];
    }
  }
  if (op.source_bytes < op.bytes) std::memset(to + op.source_bytes, 0, op.bytes - op.source_bytes);
  if (op.has_mbarrier)
    mbarrier_complete_tx(w, in, op.lane, mbarrier_at(w, in, op.lane, mbarrier, true), op.bytes);
}

void copy(Warp& w, const AsyncOperation& op) {
  if (op.multicast == 0) {
    copy_once(w, op, op.target, op.mbarrier);
    return;
  }
  for (unsigned rank = 0; rank < 16; ++rank)
    if (op.multicast >> rank & 1) copy_once(w, op, with_rank(op.target, rank), with_rank(op.mbarrier, rank));
}

void reduce(Warp& w, const AsyncOperation& op) {
  const Instr& in = instr_of(w, op);
  uint8_t* to = host_of(w, in, op.lane, op.target_space, op.target, op.bytes, AccessOp::kReduce);
  const uint8_t* from = op.value;
  if (op.kind == AsyncKind::kBulkReduce)
    from = host_of(w, in, op.lane, op.source_space, op.source, op.bytes, AccessOp::kLoad);
  alignas(16) uint8_t old[16];
  for (uint32_t at = 0; at < op.bytes; at += op.element_bytes) op.fn(to + at, from + at, nullptr, old);
  if (op.has_mbarrier)
    mbarrier_complete_tx(w, in, op.lane, mbarrier_at(w, in, op.lane, op.mbarrier, true), op.bytes);
}

void store(Warp& w, const AsyncOperation& op) {
  const Instr& in = instr_of(w, op);
  std::memcpy(host_of(w, in, op.lane, op.target_space, op.target, op.bytes, AccessOp::kStore), op.value,
              op.bytes);
  if (op.has_mbarrier)
    mbarrier_complete_tx(w, in, op.lane, mbarrier_at(w, in, op.lane, op.mbarrier, true), op.bytes);
}

}  // namespace

uint64_t row_address(const Warp& w, Place place, unsigned bits, unsigned lane) {
  return bits == 32 ? source<uint32_t>(w, place)[lane] : source<uint64_t>(w, place)[lane];
}

uint64_t shared_address(Warp& w, const Instr& in, unsigned lane, bool generic, uint64_t address) {
  if (!generic) return address;
  uint64_t within = address;
  if (space_of_generic(within) != Space::kShared)
    fault_address(w, in, lane, FaultKind::kWrongSpace,
                  "gives a generic address that is not in shared memory for", Space::kGeneric, address, 8);
  return within;
}

void complete_async(Warp& w, const AsyncOperation& op) {
  if (op.tensor != nullptr) return complete_tensor(w, instr_of(w, op), op);
  switch (op.kind) {
    case AsyncKind::kCopy:
    case AsyncKind::kBulkCopy:
      copy(w, op);
      return;
    case AsyncKind::kBulkReduce:
    case AsyncKind::kReduce:
      reduce(w, op);
      return;
    case AsyncKind::kStore:
      store(w, op);
      return;
    case AsyncKind::kBulkPrefetch:
      return;
    case AsyncKind::kArriveOnCopies: {
      const Instr& in = instr_of(w, op);
      mbarrier_arrive(w, in, op.lane, mbarrier_at(w, in, op.lane, op.mbarrier, true), 1, false);
      return;
    }
  }
}

void issue_async(Warp& w, const Instr& in, const AsyncOperation& operation) {
  AsyncOperation op = operation;
  op.instruction = static_cast<uint32_t>(&in - w.code);
  if (Checks* checks = w.launch->checks) checks->issued(w, in, op);
  if (w.async != nullptr)
    w.async->push_back(op);
  else
    complete_async(w, op);
}

void need_cluster(Warp& w, const Instr& in, uint32_t lanes) {
  if (!w.launch->explicit_cluster)
    fault(w, in, static_cast<unsigned>(std::countr_zero(lanes)), FaultKind::kIllegal,
          "stores asynchronously to a cluster, in a launch without clusters");
}

void check_bulk(Warp& w, const Instr& in, const AsyncOperation& op) {
  constexpr uint64_t kUnit = 16;
  if (op.bytes % kUnit != 0)
    fault(w, in, op.lane, FaultKind::kIllegal,
          "copies " + std::to_string(op.bytes) + " bytes in bulk, which is not a multiple of 16");
  if (op.source % kUnit != 0)
    fault_address(w, in, op.lane, FaultKind::kMisaligned, "copies from, in units of", op.source_space,
                  op.source, kUnit);
  if (op.kind != AsyncKind::kBulkPrefetch && op.target % kUnit != 0)
    fault_address(w, in, op.lane, FaultKind::kMisaligned, "copies to, in units of", op.target_space,
                  op.target, kUnit);
}

}  // namespace gpuloom::ptx
