// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/wide_integers.h"

#include "ptx/machine/instr_class.h"
#include "ptx/machine/row_values.h"

namespace gpuloom::ptx {
namespace {

// What stands between a base, an index and the address that they make.
bool makes_addresses(const Instr& in) {
  switch (class_of(in)) {
    case OpClass::add64:
    case OpClass::imad_wide:
    case OpClass::mov64:
    case OpClass::lea:
    case OpClass::shift64:
      return in.kind == InstrKind::kPlain;
    default:
      return false;
  }
}

bool is_wide(const Instr& in) {
  switch (class_of(in)) {
    case OpClass::add64:
    case OpClass::mul64:
    case OpClass::mulhi64:
    case OpClass::logic64:
    case OpClass::shift64:
    case OpClass::setp64:
    case OpClass::minmax64:
    case OpClass::sel64:
    case OpClass::div_64:
    case OpClass::rem_64:
      return in.kind == InstrKind::kPlain;
    default:
      return false;
  }
}

// Backwards over a block: `addresses` are rows that an access behind makes its address of.
void walk(const Program& program, const Block& block, RowSet& addresses, std::vector<bool>* wide) {
  for (uint32_t pc = block.last + 1; pc-- > block.first;) {
    const Instr& in = program.code[pc];
    bool address = false;
    each_row(program, pc, true, [&](const OperandRef& ref) {
      address |= has_row(addresses, ref.place);
      if (!in.guard.present()) remove_row(addresses, ref.place);
    });
    if (wide != nullptr) (*wide)[pc] = is_wide(in) && !address;
    const bool passes = address && makes_addresses(in);
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
