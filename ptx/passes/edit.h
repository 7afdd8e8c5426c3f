// SPDX-License-Identifier: Apache-2.0
// Insertion and removal of instructions; targets, functions and tables follow.
#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "ptx/ir/program.h"

namespace gpuloom::ptx {

struct Edit {
  explicit Edit(const Program& program) : erase(program.code.size(), 0) {}
  std::vector<uint8_t> erase;  // by instruction
  struct Insertion {
    uint32_t before = 0;  // whoever jumped to this instruction now meets the inserted one
    Instr instr;
    std::vector<OperandRef> refs;
    bool keeps_source = false;  // it comes from elsewhere in the program, not from what it stands before
  };
  std::vector<Insertion> insert;  // in order of `before`
  std::map<uint32_t, std::pair<Instr, std::vector<OperandRef>>> replace;

  // Puts `insert` in order of `before`; those of one place keep theirs.
  void sort_insertions();
};
// Blocks, if any, are out of date afterwards.
void apply(Program& program, const Edit& edit);

// What instruction i reads and writes.
inline std::vector<OperandRef> refs_of(const Program& program, uint32_t i) {
  return {program.refs.begin() + program.ref_begin[i], program.refs.begin() + program.ref_begin[i + 1]};
}

// The instruction's own note of the place that a reference of it names (OperandRef::operand).
void write_place(Program& program, Instr& instr, const OperandRef& ref);

// Puts the instructions in another order, within blocks: order[k] is the old position of the k-th.
void reorder(Program& program, const std::vector<uint32_t>& order);

}  // namespace gpuloom::ptx
