// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/kernel_context.h"

#include <algorithm>

#include "arch/sm/ideal_ops.h"
#include "arch/sm/op_details.h"
#include "ptx/isa/table/op_traits.h"
namespace gpuloom::arch {
namespace {

constexpr uint8_t kAllScoreboards = 0x3f;

using ptx::OpClass;

// H200 (probes/clocks): 8 cycles a sub-core for F2F.F64.F32 and I2F.F64, 17 for it and the way back: two
// registers are read for one result.
constexpr uint16_t kWideSource = 1;

bool narrows(const ptx::MachineOp& op) {
  return (op.op == OpClass::f2f64 || op.op == OpClass::f2i64) && op.dst_count == 1;
}

// A tensor core's sums of f32 are as many registers as results, those of f16 half as many: a lane has eight
// results of m8n8k4, which is four products, and four of the other shapes.
bool sums_f32(const ptx::MachineOp& op) { return op.dst_count > (op.op == OpClass::hmma_884 ? 4 : 2); }

void add_port_reads(const SmConfig& config, OpInfo& i) {
  i.through_ports = true;
  for (size_t k = 0; k < i.src.size(); ++k) {
    const auto here = i.src.begin() + static_cast<ptrdiff_t>(k);
    if (*here == ptx::kNoRegister || std::find(i.src.begin(), here, *here) != here) continue;
    i.port_reads |= static_cast<uint8_t>(1u << k);
    i.bank[k] = static_cast<uint8_t>(*here % config.registers.banks);
  }
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
  if (row.interval_f32 != 0 && sums_f32(op)) i.interval = row.interval_f32;
  if (narrows(op)) i.interval = static_cast<uint16_t>(i.interval + kWideSource);
  i.constant_offset = op.constant_offset;
  // ULDC takes its constant on the uniform path: it neither queues nor has a scoreboard (SASS).
  const bool uniform_constant = op.op == OpClass::ldc && op.uniform != 0 && op.memory == 0;
  i.pipe = uniform_constant ? Pipe::kUniform : row.pipe;
  i.also = row.also;
  i.holds = row.holds;
  i.action = uniform_constant ? Action::kPlain : ptx::traits(op.op).action;
  const PipeConfig& pipe = config.pipes[static_cast<size_t>(i.pipe)];
  if (i.action == Action::kPlain && pipe.shared) i.action = Action::kQueued;
  i.queued = i.action == Action::kMemory || i.action == Action::kQueued || i.action == Action::kConstantLoad;
  i.stall = std::max<uint8_t>(op.stall, 1);
  i.yields = op.yield != 0;
  // A fence goes behind what has been read from beyond the SM (H200, probes/fences: 588 cycles behind a load,
  // 263 alone), the invalidation behind it behind all scoreboards (SASS).
  i.wait_mask = op.op == ptx::OpClass::ccctl ? kAllScoreboards : op.wait_mask;
  if (op.op == ptx::OpClass::membar) i.long_wait_mask = kAllScoreboards;
  i.write_scoreboard = op.write_scoreboard;
  i.read_scoreboard = op.read_scoreboard;
  i.lane_bytes = op.lane_bytes;
  i.src = op.src;
  i.constant_operand = op.constant_operand;
  i.memory = op.memory;
  i.frame = op.frame;
  i.frame_offset = op.frame_offset;
  i.long_latency = is(op.op, ptx::kLongScoreboard);
  i.queue_time = static_cast<uint16_t>(pipe.queue * i.interval);
  if (!pipe.shared && !pipe.variable) add_port_reads(config, i);
  return i;
}

// Where ptxas writes a loop over lanes around a bulk copy, its branch goes back to what follows the first
// operation of the copy's (ptx/machine, select_bulk). All of them name the copy's instruction.
void find_copy_loops(const ptx::MachineBlock& block, std::vector<OpInfo>& ops) {
  const uint32_t end = block.first + block.count;
  for (uint32_t copy = block.first; copy < end; ++copy) {
    if (ops[copy].action != Action::kBulk) continue;
    const auto from = [&](uint32_t k) {
      while (k < end && ops[k].source != ops[copy].source) ++k;
      return k;
    };
    uint32_t back = from(copy + 1);
    while (back < end && ops[back].op != OpClass::bra) back = from(back + 1);
    if (back == end) continue;  // one copy for the warp
    ops[copy].looped = true;
    const uint32_t head = from(from(block.first) + 1);
    ops[back].loop_back = static_cast<uint8_t>(std::min<uint32_t>(back - head, UINT8_MAX));
  }
}

bool carries_out_one(const OpInfo& op, const ptx::InstructionRecord* instructions) {
  return op.exec_end == op.exec_first + 1 && !op.queued && !op.frame && !instructions[op.exec_first].accesses;
}

}  // namespace

KernelContext::KernelContext(const SmConfig& config, ptx::Launch& l, const ptx::MachineProgram& m)
    : launch(&l), machine(&m), program(m.program), instructions(m.instructions.data()) {
  ops.reserve(m.ops.size());
  uint64_t placed = 0;  // what `ideal` takes away altogether has no place in the code either
  for (size_t k = 0; k < m.ops.size(); ++k) {
    ops.push_back(decode(config, m.ops[k]));
    add_details(config, m.ops[k], m.records[k], ops.back());
    idealize(config, ops.back());
    ops.back().alone = carries_out_one(ops.back(), instructions);
    ops.back().fetch_line =
        static_cast<uint32_t>(placed * config.fetch.instruction_bytes / config.fetch.l0.line);
    if (!ops.back().costless) placed += uint64_t{1} + m.ops[k].slow_path;
  }
  code_instructions = placed;
  entry.assign(program->code.size(), kNoOp);
  own_op.assign(program->code.size(), kNoOp);
  for (size_t k = 0; k < ops.size(); ++k) {
    if (!ops[k].memory) continue;
    const uint32_t other = own_op[ops[k].source];
    if (other != kNoOp) ops[other].divided = ops[k].divided = true;
    own_op[ops[k].source] = static_cast<uint32_t>(k);
  }
  for (const OpInfo& op : ops)
    if ((op.op == ptx::OpClass::membar || op.op == ptx::OpClass::ccctl) && own_op[op.source] != kNoOp)
      ops[own_op[op.source]].fenced = true;
  for (const OpInfo& op : ops)  // VOTE finds the lane that does it for all
    if (op.op == ptx::OpClass::vote && own_op[op.source] != kNoOp) ops[own_op[op.source]].aggregated = true;
  for (size_t b = 0; b < m.blocks.size(); ++b) {
    const ptx::MachineBlock& mb = m.blocks[b];
    const ptx::Block& block = program->blocks[b];
    if (mb.count == 0) continue;
    ops[mb.first + mb.count - 1].last_in_block = true;
    find_copy_loops(mb, ops);
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
  if (config.ideal.shared_loads) add_joined_loads(*this);
}

}  // namespace gpuloom::arch
