// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "ptx/machine/lower.h"
#include "ptx/passes/program_result.h"

namespace gpuloom::ptx {

namespace {

std::string pad(std::string text, size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

std::string guarded_ptx(const Program& p, uint32_t i) {
  const Instr& in = p.code[i];
  if (in.kind == InstrKind::kReconverge || !in.guard.present()) return ptx_of(p, i);
  return (in.guard_negated != 0 ? "@!p " : "@p ") + ptx_of(p, i);
}

std::string operands_of(const MachineOp& op) {
  std::string out;
  if (op.dst != kNoRegister) {
    out += "R" + std::to_string(op.dst);
    if (op.dst_count > 1) out += ":" + std::to_string(op.dst + op.dst_count - 1);
  }
  for (const uint8_t s : op.src) {
    if (s == kNoRegister) continue;
    out += (out.empty() ? "" : ", ") + ("R" + std::to_string(s));
  }
  if (op.constant_operand != 0) {
    char text[24];
    std::snprintf(text, sizeof text, "%sc[0x%x]", out.empty() ? "" : ", ", op.constant_offset);
    out += text;
  }
  return out;
}

std::string control_of(const MachineOp& op) {
  std::string wait;
  for (unsigned s = 0; s < kMostScoreboards; ++s)
    wait += (op.wait_mask >> s & 1u) != 0 ? static_cast<char>('0' + s) : '-';
  const auto board = [](uint8_t s) { return s == kNoScoreboard ? std::string("-") : std::to_string(s); };
  return "wait " + wait + " write " + board(op.write_scoreboard) + " read " + board(op.read_scoreboard) +
         " stall " + std::to_string(op.stall) + (op.yield ? " yield" : "");
}

}  // namespace

std::string describe(const MachineProgram& m) {
  const Program& p = *m.program;
  std::string out = "kernel " + p.name + ": " + std::to_string(m.ops.size()) + " operations for " +
                    std::to_string(p.code.size()) + " instructions, " +
                    std::to_string(m.registers_per_thread) + " registers a thread" +
                    (m.spill_bytes != 0 ? ", " + std::to_string(m.spill_bytes) + " bytes spilled" : "") +
                    "\n";
  for (size_t b = 0; b < m.blocks.size(); ++b) {
    out += "block " + std::to_string(b) + ":\n";
    for (uint32_t k = m.blocks[b].first; k < m.blocks[b].first + m.blocks[b].count; ++k) {
      const MachineOp& op = m.ops[k];
      const OpClassInfo& what = info(op.op);
      std::string name(what.opcode);
      if (op.guarded != 0) name = "@P " + name;
      if (op.uniform != 0) name += ".U";
      out += "  " + pad(name, 14) + pad(operands_of(op), 28) + pad(control_of(op), 42);
      for (uint32_t i = op.exec_first; i < op.exec_first + op.exec_count; ++i) {
        out += (i == op.exec_first ? "| " : "; ") + guarded_ptx(p, i);
      }
      if (op.exec_count == 0) out += "|   part of: " + guarded_ptx(p, op.source);
      out += "\n";
    }
  }
  return out;
}

}  // namespace gpuloom::ptx
