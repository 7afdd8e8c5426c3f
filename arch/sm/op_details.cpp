// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/op_details.h"

#include <algorithm>
#include <charconv>

#include "ptx/isa/table/form.h"
#include "ptx/isa/table/op_traits.h"

namespace gpuloom::arch {
namespace {

using ptx::OpClass;

// Reads a special register that differs from lane to lane: thread indices, %laneid, lane masks.
bool reads_lane_register(const ptx::Program& program, uint32_t source) {
  if (program.code[source].kind == ptx::InstrKind::kAtomic) return true;  // %laneid, to elect one
  const ptx::InstrSource& from = program.sources[program.code[source].source];
  if (from.function == nullptr) return false;
  const ptx::Instruction& written = from.function->instructions[from.instruction];
  const auto first = from.function->operand_pool.begin() + written.first_operand;
  return std::any_of(first, first + written.operand_count, [](const ptx::Operand& o) {
    return o.kind == ptx::OperandKind::kSpecialRegister &&
           ptx::info(static_cast<ptx::SpecialRegister>(o.id)).kind == ptx::SpecialKind::kLane;
  });
}

// Passes of the shared-memory path that are not accesses to it. H200,
// l1tex__data_pipe_lsu_wavefronts_mem_shared over the 151 cases, probes/sm and probes/passes: one for each
// shuffle, movmatrix, read of a lane's own special register, fence, invalidation and atomic of a generic
// address; and, in Sm::tell_block, one for a barrier after any use of the memory queue.
uint8_t wavefronts_of(const ptx::Program& program, const ptx::MachineOp& op) {
  switch (op.op) {
    case OpClass::shfl:
    case OpClass::movm:
    case OpClass::membar:
    case OpClass::fence_async:
    case OpClass::ccctl:
      return 1;
    case OpClass::atomg:
      return program.code[op.source].space == ptx::Space::kGeneric;
    case OpClass::s2r:
      return reads_lane_register(program, op.source);
    default:
      return 0;
  }
}

bool through_register(const ptx::Program& program, const ptx::MachineOp& op) {
  if (op.op == OpClass::brx || op.op == OpClass::ret) return true;
  const ptx::Instr& in = program.code[op.source];
  return op.op == OpClass::call && in.kind == ptx::InstrKind::kCall && in.extra < program.calls.size() &&
         program.calls[in.extra].function == UINT32_MAX;
}

// The written instruction behind an operation; nothing where it has none.
struct Written {
  const ptx::Function* function = nullptr;
  const ptx::Instruction* instruction = nullptr;
  Written(const ptx::Program& program, uint32_t source) {
    const ptx::InstrSource& from = program.sources[program.code[source].source];
    function = from.function;
    if (function != nullptr) instruction = &function->instructions[from.instruction];
  }
  const ptx::Operand& operand(uint32_t k) const {
    return function->operand_pool[instruction->first_operand + k];
  }
};

// n of ".m64n128k16".
unsigned columns(std::string_view shape) {
  unsigned n = 0;
  const size_t at = shape.find('n');
  if (at != std::string_view::npos) std::from_chars(shape.data() + at + 1, shape.data() + shape.size(), n);
  return n;
}

// wgmma: the tensor cores take n / 2 cycles; with A in shared memory they are taken for at least the passes
// of shared memory that both operands need, with A in registers for as long and at least 17, whatever the
// types (H200: probes/sm, Wgmma*). An operand's rows are 32 bytes, those of B 64 where A is sparse: a pass
// for each four rows or two, whatever the layout, counted once for the four warps (H200:
// tests/conformance/wgmma/wavefronts.csv).
void add_matrix(const WgmmaConfig& w, const Written& written, OpInfo& info) {
  const ptx::FormUse use(*written.instruction->form, *written.instruction, written.function);
  const bool shared = use.form().operands[1].shape != ptx::OperandShape::kList;
  const unsigned n = columns(use.mod(".shape")), busy = n / w.columns_per_cycle;
  const bool is_sparse = written.instruction->form->instruction->mnemonic == "wgmma.mma_async.sp";
  const unsigned b_passes = n / w.shared_columns_per_cycle * (is_sparse ? 2 : 1);
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

void add_matrix_order(const Written& written, OpInfo& info) {
  const std::string_view name = written.instruction->form->instruction->mnemonic;
  if (name == "wgmma.commit_group") info.action = Action::kMatrixCommit;
  if (name != "wgmma.wait_group") return;
  info.action = Action::kMatrixWait;
  info.groups =
      static_cast<uint8_t>(std::min<uint64_t>(255, static_cast<uint64_t>(written.operand(0).value)));
}

// Instr::aux of a fence is its scope. In front of a release it has the access's; one in front of a cluster
// barrier's arrival has the whole GPU's (SASS: MEMBAR.ALL.GPU), as one in front of a proxy fence that does
// not name shared::cta.
ptx::Scope fence_scope_of(const ptx::Program& program, uint32_t source) {
  const ptx::Instr& in = program.code[source];
  const Written written(program, source);
  const bool proxies =
      static_cast<OpClass>(in.op_class) == OpClass::fence_async && written.instruction != nullptr;
  if (in.kind == ptx::InstrKind::kFence && !proxies) return static_cast<ptx::Scope>(in.aux);
  if (in.kind == ptx::InstrKind::kClusterBarrier || written.instruction == nullptr) return ptx::Scope::kGpu;
  const ptx::FormUse use(*written.instruction->form, *written.instruction, written.function);
  if (proxies) return use.has(".shared::cta") ? ptx::Scope::kCta : ptx::Scope::kGpu;
  if (use.has(".sys")) return ptx::Scope::kSys;
  return use.has(".cta") ? ptx::Scope::kCta : ptx::Scope::kGpu;
}

// The member mask is the last operand of all that have one.
void add_masks(const ptx::Instr& in, OpInfo& info) {
  for (const ptx::Place place : in.ops)
    if (place.present()) info.mask = place;
  if (!info.mask.present() || info.mask.constant()) return;
  info.action = Action::kWarpSync;
  info.splits = in.kind == ptx::InstrKind::kBranch;
}

}  // namespace

SharedAtomic shared_atomic_of(const ptx::Program& program, const ptx::MachineOp& op) {
  if (op.op == OpClass::atomg || op.op == OpClass::red) return SharedAtomic::kWindow;
  if (op.op != OpClass::atoms) return SharedAtomic::kNone;
  const ptx::InstrSource& from = program.sources[program.code[op.source].source];
  if (from.function == nullptr) return SharedAtomic::kPlain;
  const ptx::Instruction& written = from.function->instructions[from.instruction];
  const ptx::FormUse use(*written.form, written, from.function);
  if (use.mod(".op") == ".cas") return SharedAtomic::kCompareSwap;
  const ptx::Operand& last = from.function->operand_pool[written.first_operand + written.operand_count - 1u];
  const bool one = last.kind == ptx::OperandKind::kImmediate && last.value == 1;
  return use.mod(".op") == ".add" && one ? SharedAtomic::kIncrement : SharedAtomic::kPlain;
}

void add_details(const SmConfig& config, const ptx::Program& program, const ptx::MachineOp& op,
                 OpInfo& info) {
  info.wavefronts = wavefronts_of(program, op);
  info.shared_access = is(op.op, ptx::kSharedAccess);
  info.shared_atomic = shared_atomic_of(program, op);
  info.through_register = through_register(program, op);
  info.constant_load = op.op == OpClass::ldc && op.uniform != 0 && op.memory != 0;
  if (op.op == OpClass::warpsync) add_masks(program.code[op.source], info);
  if (op.op == OpClass::acqbulk)  // griddepcontrol: Instr::aux is 1 for a wait
    info.action = program.code[op.source].aux != 0 ? Action::kGridWait : Action::kLetDependents;
  if (op.op == OpClass::membar) info.fence_scope = fence_scope_of(program, op.source);
  if (op.op != OpClass::wgmma && op.op != OpClass::warpgroup) return;
  const Written written(program, op.source);
  if (written.instruction == nullptr) return;
  if (op.op == OpClass::wgmma)
    add_matrix(config.wgmma, written, info);
  else
    add_matrix_order(written, info);
}

}  // namespace gpuloom::arch
