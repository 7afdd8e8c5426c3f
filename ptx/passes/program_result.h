// SPDX-License-Identifier: Apache-2.0
// A decoded program as those see it who watch passes.
#pragma once
#include "ptx/ir/program.h"
#include "ptx/passes/flow.h"
#include "ptx/passes/pass.h"

namespace gpuloom::ptx {

// The mnemonic with modifiers that a decoded instruction was made of, and its line of the PTX.
std::string ptx_of(const Program& program, uint32_t instruction);
// The instructions with their blocks, rows and targets. Rows are named by their width and place: p a
// predicate, h 16 bits, r 32, d 64, q more; c is a constant.
std::string list_program(const Program& program);
// What cannot be: targets that are none, rows outside the frame, reads of what nothing has written on any way
// there, blocks that do not cover the code.
std::vector<std::string> check_program(const Program& program);
// What instructions of function `f` read although nothing has written it on any way there.
struct UnwrittenRead {
  uint32_t instruction, row;
};
std::vector<UnwrittenRead> unwritten_reads(const Program& program, uint32_t f, const Flow& flow,
                                           const Liveness& rows);

class ProgramResult : public PassResult {
 public:
  explicit ProgramResult(const Program& program) : program_(program) {}
  std::string listing() const override { return list_program(program_); }
  std::vector<std::string> problems() const override { return check_program(program_); }

 private:
  const Program& program_;
};

}  // namespace gpuloom::ptx
