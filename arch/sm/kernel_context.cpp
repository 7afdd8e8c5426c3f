// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/kernel_context.h"

#include <algorithm>

#include "ptx/isa/table/form.h"

namespace gpuloom::arch {
namespace {

using ptx::OpClass;

Action action_of(OpClass op) {
  switch (op) {
    case OpClass::ldg:
    case OpClass::stg:
    case OpClass::lds:
    case OpClass::sts:
    case OpClass::ldl:
    case OpClass::stl:
    case OpClass::ldgen:
    case OpClass::stgen:
    case OpClass::atomg:
    case OpClass::red:
    case OpClass::atoms:
    case OpClass::ldsm:
    case OpClass::stsm:
    case OpClass::ldgsts:
    case OpClass::tex:
    case OpClass::suld:
    case OpClass::sust:
    case OpClass::ccctl:
      return Action::kMemory;
    case OpClass::ldc:
      return Action::kConstantLoad;
    case OpClass::ldgdepbar:
      return Action::kCopyCommit;
    case OpClass::depbar:
      return Action::kCopyWait;
    case OpClass::ublkcp:
    case OpClass::ublkred:
    case OpClass::ublkpf:
    case OpClass::utma:
      return Action::kBulk;
    case OpClass::utmacmdflush:
      return Action::kBulkCommit;
    case OpClass::syncs:
      return Action::kMbarrier;
    case OpClass::bar:
      return Action::kBarrier;
    case OpClass::ucgabar:
      return Action::kClusterBarrier;
    case OpClass::membar:
    case OpClass::fence_async:
      return Action::kFence;
    case OpClass::bra:
    case OpClass::brx:
    case OpClass::bsync:
    case OpClass::call:
    case OpClass::ret:
      return Action::kBranch;
    case OpClass::exit:
    case OpClass::bpt:
      return Action::kExit;
    case OpClass::nanosleep:
      return Action::kSleep;
    default:
      return Action::kPlain;
  }
}

// Results that come from beyond the SM's own arrays: Nsight Compute's long scoreboard. Shared memory and the
// other units are short.
bool is_long(OpClass op) {
  switch (op) {
    case OpClass::ldg:
    case OpClass::stg:
    case OpClass::ldl:
    case OpClass::stl:
    case OpClass::ldgen:
    case OpClass::stgen:
    case OpClass::atomg:
    case OpClass::red:
    case OpClass::ldgsts:
    case OpClass::tex:
    case OpClass::suld:
    case OpClass::sust:
      return true;
    default:
      return false;
  }
}

// Reads a special register that differs from lane to lane: thread indices, %laneid, lane masks.
bool reads_lane_register(const ptx::Program& program, uint32_t source) {
  const ptx::InstrSource& from = program.sources[program.code[source].source];
  if (from.function == nullptr) return false;
  const ptx::Instruction& written = from.function->instructions[from.instruction];
  const auto first = from.function->operand_pool.begin() + written.first_operand;
  return std::any_of(first, first + written.operand_count, [](const ptx::Operand& o) {
    return o.kind == ptx::OperandKind::kSpecialRegister &&
           ptx::info(static_cast<ptx::SpecialRegister>(o.id)).kind == ptx::SpecialKind::kLane;
  });
}

// Passes of the shared-memory path that are no access to it. H200, l1tex__data_pipe_lsu_wavefronts_mem_shared
// over the 151 cases and probes/sm: one for each shuffle, movmatrix, read of a lane's own special register,
// fence and invalidation; and, in SubCore::after_issue, one for a block barrier after any use of the memory
// queue.
uint8_t wavefronts_of(const ptx::Program& program, const ptx::MachineOp& op) {
  switch (op.op) {
    case OpClass::shfl:
    case OpClass::movm:
    case OpClass::membar:
    case OpClass::ccctl:
      return 1;
    case OpClass::s2r:
      return reads_lane_register(program, op.source);
    default:
      return 0;
  }
}

// Adding one to a word is an operation of its own (ATOMS.POPC.INC), in which lanes of one word go together.
SharedAtomic shared_atomic_of(const ptx::Program& program, const ptx::MachineOp& op) {
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

bool through_register(const ptx::Program& program, const ptx::MachineOp& op) {
  if (op.op == OpClass::brx || op.op == OpClass::ret) return true;
  const ptx::Instr& in = program.code[op.source];
  return op.op == OpClass::call && in.kind == ptx::InstrKind::kCall && in.extra < program.calls.size() &&
         program.calls[in.extra].function == UINT32_MAX;
}

bool is_shared_access(OpClass op) {
  return op == OpClass::lds || op == OpClass::sts || op == OpClass::atoms || op == OpClass::ldsm ||
         op == OpClass::stsm;
}

OpInfo decode(const SmConfig& config, const ptx::MachineOp& op) {
  const Operation& row = config.operation(op.op);
  OpInfo i;
  i.op = op.op;
  i.exec_first = op.exec_first;
  i.exec_end = op.exec_first + op.exec_count;
  i.source = op.source;
  i.latency = row.latency;
  i.interval = std::max<uint16_t>(row.interval, 1);
  i.constant_offset = op.constant_offset;
  i.pipe = row.pipe;
  i.also = row.also;
  i.action = action_of(op.op);
  const PipeConfig& pipe = config.pipes[static_cast<size_t>(row.pipe)];
  if (i.action == Action::kPlain && pipe.shared) i.action = Action::kQueued;
  i.queued = i.action == Action::kMemory || i.action == Action::kQueued || i.action == Action::kConstantLoad;
  i.stall = std::max<uint8_t>(op.stall, 1);
  i.wait_mask = op.wait_mask;
  i.write_scoreboard = op.write_scoreboard;
  i.read_scoreboard = op.read_scoreboard;
  i.lane_bytes = op.lane_bytes;
  i.src = op.src;
  i.guarded = op.guarded;
  i.constant_operand = op.constant_operand;
  i.memory = op.memory;
  i.shared_access = is_shared_access(op.op);
  i.long_latency = is_long(op.op);
  i.port_reads = !pipe.shared && !pipe.variable;
  return i;
}

}  // namespace

KernelContext::KernelContext(const SmConfig& config, ptx::Launch& l, const ptx::MachineProgram& m)
    : launch(&l), machine(&m), program(m.program) {
  ops.reserve(m.ops.size());
  for (const ptx::MachineOp& op : m.ops) {
    ops.push_back(decode(config, op));
    ops.back().wavefronts = wavefronts_of(*program, op);
    ops.back().shared_atomic = shared_atomic_of(*program, op);
    ops.back().through_register = through_register(*program, op);
  }
  entry.assign(program->code.size(), kNoOp);
  own_op.assign(program->code.size(), kNoOp);
  for (size_t k = 0; k < ops.size(); ++k)
    if (ops[k].memory) own_op[ops[k].source] = static_cast<uint32_t>(k);
  for (size_t b = 0; b < m.blocks.size(); ++b) {
    const ptx::MachineBlock& mb = m.blocks[b];
    const ptx::Block& block = program->blocks[b];
    if (mb.count == 0) continue;
    ops[mb.first + mb.count - 1].last_in_block = true;
    // In the middle of a block (a convergence set resumes there) it goes on with the operation that carries
    // out that instruction.
    for (uint32_t k = 0; k < mb.count; ++k)
      for (uint32_t pc = ops[mb.first + k].exec_first; pc < ops[mb.first + k].exec_end; ++pc)
        entry[pc] = mb.first + k;
    for (uint32_t pc = block.first + 1; pc <= block.last; ++pc) {
      if (entry[pc] != kNoOp) continue;
      // Not carried out by any operation: it goes with the next one that is.
      for (uint32_t later = pc + 1; later <= block.last && entry[pc] == kNoOp; ++later)
        if (entry[later] != kNoOp) entry[pc] = entry[later];
    }
    entry[block.first] = mb.first;
  }
}

}  // namespace gpuloom::arch
