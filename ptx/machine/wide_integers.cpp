// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/wide_integers.h"

#include "ptx/isa/table/op_traits.h"
#include "ptx/machine/row_values.h"
#include "ptx/passes/instr_questions.h"

namespace gpuloom::ptx {
namespace {

bool has_flag(const Instr& in, OpFlag flag) { return in.kind == InstrKind::kPlain && is(class_of(in), flag); }

// Backwards over a block: `addresses` are rows that an access behind makes its address of.
void walk(const Program& program, const Block& block, RowSet& addresses, std::vector<bool>* wide) {
  for (uint32_t pc = block.last + 1; pc-- > block.first;) {
    const Instr& in = program.code[pc];
    bool address = false;
    each_row(program, pc, true, [&](const OperandRef& ref) {
      address |= has_row(addresses, ref.place);
      if (!in.guard.present()) remove_row(addresses, ref.place);
    });
    if (wide != nullptr) (*wide)[pc] = has_flag(in, kWideInteger) && !address;
    const bool passes = address && has_flag(in, kMakesAddress);
    each_row(program, pc, false, [&](const OperandRef& ref) {
      if (ref.address || (passes && ref.bytes == 8)) add_row(addresses, ref.place);
    });
  }
}

}  // namespace

std::vector<bool> find_wide_integers(const Program& program, const Flow& flow) {
  std::vector<bool> wide(program.code.size());
  std::vector<RowSet> behind(flow.blocks.size()), before(flow.blocks.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = flow.blocks.size(); b-- > 0;) {
      for (const uint32_t next : flow.successors[b]) behind[b].merge(before[next]);
      RowSet rows = behind[b];
      walk(program, flow.blocks[b], rows, nullptr);
      changed |= before[b].merge(rows);
    }
  }
  for (size_t b = 0; b < flow.blocks.size(); ++b) {
    RowSet rows = behind[b];
    walk(program, flow.blocks[b], rows, &wide);
  }
  return wide;
}

}  // namespace gpuloom::ptx
