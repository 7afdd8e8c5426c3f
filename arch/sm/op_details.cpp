// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/op_details.h"

#include <algorithm>

#include "ptx/isa/table/op_traits.h"

namespace gpuloom::arch {
namespace {

using ptx::OpClass;

// Passes of the shared-memory path that are not accesses to it. H200,
// l1tex__data_pipe_lsu_wavefronts_mem_shared over the 151 cases, probes/sm and probes/passes: one for each
// shuffle, movmatrix, read of a lane's own special register, fence, invalidation and atomic of a generic
// address; and, in Sm::tell_block, one for a barrier after any use of the memory queue.
uint8_t wavefronts_of(OpClass op, const ptx::TimeRecord& record) {
  if (op == OpClass::atomg) return record.names_no_space;
  if (op == OpClass::s2r) return record.reads_lane;
  return ptx::is(op, ptx::kSharedPass) ? 1 : 0;
}

// wgmma: the tensor cores take n / 2 cycles; with A in shared memory they are taken for at least the passes
// of shared memory that both operands need, with A in registers for as long and at least 17, whatever the
// types (H200: probes/sm, Wgmma*). An operand's rows are 32 bytes, those of B 64 where A is sparse: a pass
// for each four rows or two, whatever the layout, counted once for the four warps (H200:
// tests/conformance/wgmma/wavefronts.csv).
void add_matrix(const WgmmaConfig& w, const ptx::MatrixProduct& product, OpInfo& info) {
  const bool shared = product.both_shared;
  const unsigned n = product.columns, busy = n / w.columns_per_cycle;
  const unsigned b_passes = n / w.shared_columns_per_cycle * (product.sparse ? 2 : 1);
  const unsigned passes = (shared ? w.shared_setup : 0) + b_passes;
  const unsigned interval =
      shared ? std::max(busy, passes) : std::max({busy + w.register_extra, w.register_least, b_passes});
  info.interval = static_cast<uint16_t>(std::max(1u, interval));
  info.queue_time = static_cast<uint16_t>(w.queue * info.interval);
  const unsigned gives = n / w.issue_columns_per_cycle;
  info.matrix_gap = static_cast<uint8_t>(gives - std::min(gives, w.issue_saves));
  info.matrix_time = static_cast<uint16_t>((shared ? w.shared_latency : w.register_latency) + busy);
  info.wavefronts = static_cast<uint8_t>(passes);
  info.action = Action::kMatrix;
}

}  // namespace

void add_details(const SmConfig& config, const ptx::MachineOp& op, const ptx::TimeRecord& record,
                 OpInfo& info) {
  info.record = &record;
  if (op.guarded) {
    info.guard = record.guard;
    info.guard_negated = record.guard_negated;
  }
  info.wavefronts = wavefronts_of(op.op, record);
  info.shared_access = is(op.op, ptx::kSharedAccess);
  info.shared_atomic = record.shared_atomic;
  if (config.ideal.combined_atomics) info.combines = record.combines;
  info.through_register = record.through_register;
  info.constant_load = op.op == OpClass::ldc && op.uniform != 0 && op.memory != 0;
  info.fence_scope = record.fence_scope;
  if (record.mask.present() && !record.mask.constant()) info.action = Action::kWarpSync;
  if (op.op == OpClass::acqbulk)
    info.action = record.waits_for_grids ? Action::kGridWait : Action::kLetDependents;
  if (record.matrix.columns != 0) add_matrix(config.wgmma, record.matrix, info);
  if (record.matrix_order == ptx::MatrixOrder::kCommit) info.action = Action::kMatrixCommit;
  if (record.matrix_order == ptx::MatrixOrder::kWait) info.action = Action::kMatrixWait;
}

}  // namespace gpuloom::arch
